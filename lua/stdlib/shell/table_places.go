package shell

// placeRows are the programs that run others on another machine or in a container.
var placeRows = []row{
	{names: "ssh autossh mosh slogin", how: howSSH, operands: 1, values: "B b c D E e F I i J L l m O o p Q R S W w M"},
	{names: "docker podman nerdctl finch docker-compose podman-compose", how: howContainer},
	{names: "kubectl oc k microk8s", how: howKube, values: "n c s f namespace container context cluster kubeconfig user server image filename"},
	{names: "pssh parallel-ssh pdsh clush mussh", how: howSSH, values: "h H l p t o e w x g f hosts host user par timeout"},
	{names: "gcloud flyctl fly doctl eb az railway render", how: howRemote, text: "command C ssh-command scripts commands"},
	{names: "aws", how: howRemote, text: "command parameters"},
	{names: "vagrant", how: howSub, subs: "ssh", text: "c command", where: "remote"},
	{names: "tsh", how: howSub, subs: "ssh", values: "l p proxy login cluster", operands: 1, where: "remote"},
	{names: "adb", how: howSub, subs: "shell", values: "s H P", where: "remote"},
	{names: "heroku", how: howSub, subs: "run", values: "a app r remote s size type", where: "remote"},
	{names: "lxc incus multipass limactl", how: howSub, subs: "exec shell", values: "cwd user group env workdir", operands: 1, where: "container"},
	{names: "ansible", how: howAnsible, values: "i m a u e l f B P t M inventory module-name args user extra-vars limit forks become-user become-method private-key vault-password-file"},
	{names: "distrobox toolbox", how: howSub, subs: "enter run", values: "n c container name"},
}
