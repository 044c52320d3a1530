---@meta dsh

-- Definitions for the Lua language server, derived from the declarations of the
-- extension points: "dsh spec luacats" prints them.

---What a script can reach of dsh.
dsh = {}

---Acts on the session that a payload belongs to. What the client cannot do
---raises an error.
---@class (exact) dsh.Live
local live = {}

---Adds a message to the next request to the model.
---@param message string|{ text: string }
function live:inject(message) end

---Asks for another step of this turn, in which the model sees the message.
---@param message string|{ text: string }
function live:steer(message) end

---Ends the turn. The reason is kept with it.
---@param reason string
function live:halt(reason) end

---Shows a text to the human, never to the model.
---@param text string
function live:tell(text) end

---Identifies a subagent.
---@class (exact) dsh.session.AgentRef
---@field id string The client's own identifier of the subagent.
---@field type? string The kind of subagent, such as "general-purpose".

---Identifies a session and says where and how it runs. A host fills what
---its client tells; an empty field is not known.
---@class (exact) dsh.session.Ref
---@field id string The client's own identifier of the session.
---@field cwd? string The absolute path of the current working directory, which follows the agent's own changes of directory.
---@field project? string The absolute path of the project's root, which does not change.
---@field mode? string The client's permission mode, in its own words.
---@field transcript? string The path of the session's log, which may not exist yet.
---@field model? string Names the model that the session uses.
---@field turn? string The client's identifier of the turn under way.
---@field agent? dsh.session.AgentRef Says which subagent is at work; absent for the main agent.
---@field client? string Names the coding agent, such as "claude-code" or "codex".

---Tells that a session begins.
---@class (exact) dsh.agent.Started
---@field session dsh.session.Ref The session.
---@field source string Says how it begins: "startup", "resume", "clear", "compact", "fork".
---@field live dsh.Live Acts on the session.

---Tells that a session is over.
---@class (exact) dsh.agent.Ended
---@field session dsh.session.Ref The session.
---@field reason? string Says why, in the client's words.
---@field live dsh.Live Acts on the session.

---The speaker of a message, as models know it.
---@alias dsh.session.Role "user"|"assistant"|"system"

---Plain text. It may be written as a string alone.
---@class (exact) dsh.session.Text
---@field kind "text"
---@field text string The text itself.

---What a model thought before it answered.
---@class (exact) dsh.session.Reasoning
---@field kind "reasoning"
---@field text string The text itself.

---A picture.
---@class (exact) dsh.session.Image
---@field kind "image"
---@field media_type string The type of the data, such as "image/png".
---@field data string The picture in base64.

---A model's wish to run a tool.
---@class (exact) dsh.session.ToolCall
---@field kind "tool-call"
---@field id string Correlates the call with its result.
---@field tool string The name of the tool.
---@field arguments any What the model passes to it.

---The outcome of a call as the model is shown it.
---@class (exact) dsh.session.ToolResult
---@field kind "tool-result"
---@field call string The ID of the call.
---@field content string|(string|dsh.session.Part)[] What the model is shown.
---@field failed? boolean True if the call has no value.

---One block of content.
---@alias dsh.session.Part dsh.session.Text|dsh.session.Reasoning|dsh.session.Image|dsh.session.ToolCall|dsh.session.ToolResult

---The human.
---@class (exact) dsh.session.User
---@field kind "user"

---The model itself.
---@class (exact) dsh.session.Model
---@field kind "model"
---@field name? string Names the model that answered.
---@field replay? any What the model's provider wants to be handed back with the message, in its own terms.

---An extension that injected the message.
---@class (exact) dsh.session.Extension
---@field kind "extension"
---@field name string The name of the extension.

---A tool call whose result the message carries.
---@class (exact) dsh.session.Call
---@field kind "call"
---@field id string The ID of the call.

---The runtime, for instance when it repairs a broken log.
---@class (exact) dsh.session.Runtime
---@field kind "runtime"
---@field form? string Says what the message is: "snapshot" for the state of the world around the session, which a later one supersedes, "note" for a remark; absent for everything else.

---Says who is behind a message: it is how a model's reader can tell what
---a human wrote from what an extension added.
---@alias dsh.session.Source dsh.session.User|dsh.session.Model|dsh.session.Extension|dsh.session.Call|dsh.session.Runtime

---One message of a conversation.
---@class (exact) dsh.session.Message
---@field id? string Identifies the message within its session; a host assigns it.
---@field role dsh.session.Role Says who speaks to the model.
---@field content string|(string|dsh.session.Part)[] What is said, in order.
---@field source? dsh.session.Source Says where the message came from.

---A step that the agent is about to take.
---@class (exact) dsh.agent.Step
---@field session dsh.session.Ref The session.
---@field turn integer Counts the turns of the session, from 1; 0 if the host cannot tell.
---@field step integer Counts the steps of the turn, from 1; 0 if the host cannot tell.
---@field messages dsh.session.Message[] The messages that would enter the conversation.
---@field prompt? string The joined text of those that the human wrote; absent if there are none.
---@field live dsh.Live Acts on the session.

---Takes the step.
---@class (exact) dsh.agent.Enter
---@field kind "enter"
---@field messages dsh.session.Message[] What enters the conversation, in order.

---Ends the turn; nothing enters the conversation.
---@class (exact) dsh.agent.Reject
---@field kind "reject"
---@field reason string Kept with the turn and shown to the human.

---Says whether a step is taken.
---@alias dsh.agent.StepDecision dsh.agent.Enter|dsh.agent.Reject

---What a request asks of a model, beside the conversation.
---@class (exact) dsh.agent.Config
---@field model? string Names the model.
---@field max_tokens? integer Bounds the length of the answer, in tokens.
---@field options? any Settings in the provider's own terms.

---A request to the model that is about to be sent.
---@class (exact) dsh.agent.Request
---@field session dsh.session.Ref The session.
---@field turn integer Counts the turns of the session, from 1.
---@field step integer Counts the steps of the turn, from 1.
---@field attempt? integer Counts the tries of this request, from 1.
---@field config dsh.agent.Config What the request asks of the model.
---@field live dsh.Live Acts on the session.

---Sends the request.
---@class (exact) dsh.agent.Send
---@field kind "send"
---@field config dsh.agent.Config What is asked of the model.

---Says what is sent.
---@alias dsh.agent.RequestDecision dsh.agent.Send

---Says why a model gave no answer.
---@class (exact) dsh.agent.ModelFailure
---@field message string The provider's text.
---@field code? string The provider's word for it.
---@field status? integer The status of the transport, such as 429.
---@field retry_after? integer How long the provider asks to wait, in milliseconds.
---@field attempt? integer Counts the tries of this request, from 1.

---A request that got no answer.
---@class (exact) dsh.agent.RequestFailure
---@field session dsh.session.Ref The session.
---@field turn integer Counts the turns of the session, from 1.
---@field step integer Counts the steps of the turn, from 1.
---@field failure dsh.agent.ModelFailure Says what went wrong.
---@field live dsh.Live Acts on the session.

---Ends the turn with the error.
---@class (exact) dsh.agent.Fail
---@field kind "fail"

---Sends the request again.
---@class (exact) dsh.agent.Retry
---@field kind "retry"
---@field after? integer How long to wait first, in milliseconds.

---Says what to do about a failed request.
---@alias dsh.agent.RequestErrorDecision dsh.agent.Fail|dsh.agent.Retry

---Tells that a turn is about to end.
---@class (exact) dsh.agent.Stopping
---@field session dsh.session.Ref The session.
---@field turn integer Counts the turns of the session, from 1; 0 if the host cannot tell.
---@field reason? string Says why the turn ends.
---@field last_message? string The text of the model's last answer.
---@field stop_active boolean True if an extension already made this turn go on.
---@field stops integer Counts how often in a row that happened, as far as the host can tell.
---@field live dsh.Live Acts on the session.

---A conversation that is about to be summarised.
---@class (exact) dsh.agent.Compaction
---@field session dsh.session.Ref The session.
---@field trigger string Says who wants it: "manual" or "auto".
---@field instructions? string For the summariser.
---@field live dsh.Live Acts on the session.

---Lets it be summarised.
---@class (exact) dsh.agent.Proceed
---@field kind "proceed"
---@field instructions? string Added to those for the summariser.

---Leaves the conversation as it is.
---@class (exact) dsh.agent.Cancel
---@field kind "cancel"
---@field reason string Shown to the human.

---Says whether a conversation is summarised.
---@alias dsh.agent.CompactionDecision dsh.agent.Proceed|dsh.agent.Cancel

---Tells that a conversation was summarised.
---@class (exact) dsh.agent.Compacted
---@field session dsh.session.Ref The session.
---@field trigger string Says who wanted it: "manual" or "auto".
---@field summary? string What stands for the conversation now.
---@field live dsh.Live Acts on the session.

---Tells that the human cancelled a turn.
---@class (exact) dsh.agent.Interrupted
---@field session dsh.session.Ref The session.
---@field turn integer Counts the turns of the session, from 1.
---@field cause? string Says what cancelled it.
---@field live dsh.Live Acts on the session.

---Something that the agent tells its human.
---@class (exact) dsh.agent.Notice
---@field session dsh.session.Ref The session.
---@field type? string The kind of notice, in the client's words.
---@field message string The text.
---@field live dsh.Live Acts on the session.

---Tells whether the agent is at work.
---@class (exact) dsh.agent.Status
---@field session dsh.session.Ref The session.
---@field status string "idle" or "running".
---@field live dsh.Live Acts on the session.

---Tells that a turn ended in an error.
---@class (exact) dsh.agent.Error
---@field session dsh.session.Ref The session.
---@field turn integer Counts the turns of the session, from 1.
---@field step integer Counts the steps of the turn, from 1.
---@field message string Says what went wrong.
---@field code? string A stable word for programs.
---@field live dsh.Live Acts on the session.

---Runs a command line.
---@class (exact) dsh.tool.Shell
---@field kind "shell"
---@field command string The text that the shell is given.
---@field cwd? string The absolute directory it starts in.
---@field partial? boolean True if the arguments could not be read in full: there may be more to it than is shown here.

---What happens to one file.
---@alias dsh.tool.Change "read"|"create"|"write"|"edit"|"delete"

---One file that an action touches.
---@class (exact) dsh.tool.File
---@field path string The absolute, cleaned path as the call names it.
---@field real? string The path with all symbolic links resolved, of a file that does not exist yet with those of its directory; absent if that cannot be known.
---@field change dsh.tool.Change Says what happens to the file.

---Creates files or replaces their whole content.
---@class (exact) dsh.tool.Write
---@field kind "write"
---@field files dsh.tool.File[] The files that are written.
---@field partial? boolean True if the arguments could not be read in full: there may be more files than are listed.

---Changes parts of files. A patch is an edit of all the files it touches,
---those that it creates and deletes included.
---@class (exact) dsh.tool.Edit
---@field kind "edit"
---@field files dsh.tool.File[] The files that are touched.
---@field partial? boolean True if the arguments could not be read in full: there may be more files than are listed.

---Shows the content of files.
---@class (exact) dsh.tool.Read
---@field kind "read"
---@field files dsh.tool.File[] The files that are read.
---@field partial? boolean True if the arguments could not be read in full: there may be more files than are listed.

---Removes files.
---@class (exact) dsh.tool.Delete
---@field kind "delete"
---@field files dsh.tool.File[] The files that are removed.
---@field partial? boolean True if the arguments could not be read in full: there may be more files than are listed.

---Looks for files or in files.
---@class (exact) dsh.tool.Search
---@field kind "search"
---@field pattern? string What is searched for, in the tool's own notation.
---@field files dsh.tool.File[] The files and directories that are searched.
---@field partial? boolean True if the arguments could not be read in full: there may be more files than are listed.

---Gets something from the network.
---@class (exact) dsh.tool.Fetch
---@field kind "fetch"
---@field url? string The address; absent for a search of the web.
---@field query? string What is searched for; absent for an address.
---@field partial? boolean True if the arguments could not be read in full.

---Runs a tool of a Model Context Protocol server.
---@class (exact) dsh.tool.MCP
---@field kind "mcp"
---@field server string The name of the server, as the client spells it in tool names.
---@field name string The name of the tool at the server.

---Starts a subagent.
---@class (exact) dsh.tool.Agent
---@field kind "agent"
---@field type? string The kind of subagent.
---@field prompt? string Its task.
---@field partial? boolean True if the arguments could not be read in full.

---Everything else: a tool that acts on the agent alone, or one that no
---table knows.
---@class (exact) dsh.tool.Other
---@field kind "other"

---Says what a call is about to do in terms that fit every client, so
---that one policy judges them all. It is filled by the tool's own definition or
---by the table of the client's dialect, never by the pipeline. A tool that no
---table knows is Other.
---@alias dsh.tool.Action dsh.tool.Shell|dsh.tool.Write|dsh.tool.Edit|dsh.tool.Read|dsh.tool.Delete|dsh.tool.Search|dsh.tool.Fetch|dsh.tool.MCP|dsh.tool.Agent|dsh.tool.Other

---A call as the model wrote it, before it has its identity.
---@class (exact) dsh.tool.Proposal
---@field id string Correlates the call with its result.
---@field tool string The name of the tool to run.
---@field arguments any What the model passes to the tool.
---@field action dsh.tool.Action Says what the call is about to do, in terms that fit every client.
---@field fault? string Says why the call will fail with these arguments: "unknown-tool", or "invalid-arguments: " and what is wrong; absent if nothing is.
---@field session dsh.session.Ref The session that the call belongs to.
---@field live dsh.Live Acts on the session.

---Leaves the arguments as they are.
---@class (exact) dsh.tool.Keep
---@field kind "keep"

---Replaces the arguments. All later points and records see the new ones;
---arguments that do not fit the tool make the call a failure.
---@class (exact) dsh.tool.Rewrite
---@field kind "rewrite"
---@field arguments any Replace those of the model as a whole.
---@field reason? string Tells the model why something else was run.

---Answers a proposal.
---@alias dsh.tool.Rewriting dsh.tool.Keep|dsh.tool.Rewrite

---One tool call. It never changes: what is judged, logged, shown and
---executed is the same call.
---@class (exact) dsh.tool.Call
---@field id string Correlates the call with its result.
---@field parent? string The ID of the call whose body makes this one; absent for a call of the model.
---@field tool string The name of the tool to run.
---@field arguments any What is passed to the tool.
---@field action dsh.tool.Action Says what the call is about to do, in terms that fit every client.
---@field fault? string Says why the call will fail whatever is decided: "unknown-tool", or "invalid-arguments: " and what is wrong; absent if nothing is.
---@field session dsh.session.Ref The session that the call belongs to.
---@field live dsh.Live Acts on the session.

---A text that an answer adds for the model, without changing what
---happens. It may be written as a string alone.
---@class (exact) dsh.session.Context
---@field text string What the model is told.
---@field extension? string The name of the extension that adds it; the runtime fills it.

---Has no objection. A client with a permission flow of its own still
---follows that.
---@class (exact) dsh.tool.Allow
---@field kind "allow"
---@field preapproved? boolean Asks the client not to ask its user either. Only an extension with the grant "preapprove" may say so.
---@field contexts? string|(string|dsh.session.Context)[] Texts to add for the model.

---Turns the call into a failure; the tool does not run.
---@class (exact) dsh.tool.Deny
---@field kind "deny"
---@field reason string Tells the model why, so that it can try something else.
---@field contexts? string|(string|dsh.session.Context)[] Texts to add for the model.

---Lets an approver decide; where there is none the call is denied.
---@class (exact) dsh.tool.Ask
---@field kind "ask"
---@field reason? string Shown to whoever approves.
---@field contexts? string|(string|dsh.session.Context)[] Texts to add for the model.

---Says whether a call may run.
---@alias dsh.tool.PreDecision dsh.tool.Allow|dsh.tool.Deny|dsh.tool.Ask

---A call that somebody wants to see approved.
---@class (exact) dsh.tool.Approval
---@field call dsh.tool.Call The call, as it would run.
---@field reason? string Says why it needs approval.
---@field live dsh.Live Acts on the session.

---Leaves the answer to others.
---@class (exact) dsh.tool.Pass
---@field kind "pass"

---Approves this one call.
---@class (exact) dsh.tool.Grant
---@field kind "grant"

---Denies the call.
---@class (exact) dsh.tool.Refuse
---@field kind "refuse"
---@field reason? string Tells the model why.

---Answers a question for approval.
---@alias dsh.tool.ApprovalDecision dsh.tool.Pass|dsh.tool.Grant|dsh.tool.Refuse

---Has no objection.
---@class (exact) dsh.tool.Abstain
---@field kind "abstain"

---Refuses the call. Nothing can overrule it.
---@class (exact) dsh.tool.Forbid
---@field kind "forbid"
---@field reason string Tells the model why.

---Answers a guard.
---@alias dsh.tool.GuardDecision dsh.tool.Abstain|dsh.tool.Forbid

---The outcome of a call that has a value.
---@class (exact) dsh.tool.Success
---@field kind "success"
---@field value any What the tool returned; null is a value.
---@field content? string|(string|dsh.session.Part)[] What the model is shown.
---@field meta? any What a front end is shown beside the content.
---@field contexts? string|(string|dsh.session.Context)[] Texts for the model that come with the result.
---@field concludes? boolean True if the tool asks to end the turn without another request.

---The outcome of a call that has no value.
---@class (exact) dsh.tool.Failure
---@field kind "failure"
---@field message string Says what went wrong, without a prefix.
---@field name? string The kind of error, where the tool tells it.
---@field code? string A stable word for programs, such as "UNKNOWN_TOOL".
---@field content? string|(string|dsh.session.Part)[] What the model is shown.
---@field meta? any What a front end is shown beside the content.
---@field contexts? string|(string|dsh.session.Context)[] Texts for the model that come with the result.

---The outcome of a call.
---@alias dsh.tool.Result dsh.tool.Success|dsh.tool.Failure

---A call with its outcome.
---@class (exact) dsh.tool.Done
---@field call dsh.tool.Call The call.
---@field result dsh.tool.Result Its outcome.
---@field ran boolean False for a call that never reached the tool's body.
---@field duration_ms? integer How long the body took, in milliseconds.
---@field live dsh.Live Acts on the session.

---Keeps the result, or replaces what the model is shown of it.
---@class (exact) dsh.tool.Accept
---@field kind "accept"
---@field content? string|(string|dsh.session.Part)[] Replaces what the model is shown; an empty list shows nothing.
---@field value? any Replaces the value, from which the content is made anew; null is a value.
---@field contexts? string|(string|dsh.session.Context)[] Texts to add for the model.

---Withholds the result: the model is shown the feedback instead.
---@class (exact) dsh.tool.Block
---@field kind "block"
---@field feedback string|(string|dsh.session.Part)[] What the model is shown.
---@field contexts? string|(string|dsh.session.Context)[] Texts to add for the model.

---Says what the model is shown of a result.
---@alias dsh.tool.PostDecision dsh.tool.Accept|dsh.tool.Block

---Tells that a subagent begins.
---@class (exact) dsh.subagent.Started
---@field session dsh.session.Ref The session that it works for.
---@field id string Identifies the subagent.
---@field type? string The kind of subagent.
---@field prompt? string Its task.
---@field transcript? string The path of its own log; absent if it keeps none.
---@field live dsh.Live Acts on the session.

---Tells that a subagent is done.
---@class (exact) dsh.subagent.Ended
---@field session dsh.session.Ref The session that it worked for.
---@field id string Identifies the subagent.
---@field type? string The kind of subagent.
---@field outcome? string Says how it ended.
---@field last_message? string The text of its last answer.
---@field stop_active? boolean True if an extension already made the subagent go on.
---@field live dsh.Live Acts on the session.

---Something that happened in a client and for which there is no point
---of its own.
---@class (exact) dsh.host.Event
---@field session dsh.session.Ref The session it happened in.
---@field name string The client's own name of the event, such as "Notification".
---@field payload any What the client sent, as it was.
---@field live dsh.Live Acts on the session.

---Has nothing to say.
---@class (exact) dsh.host.Pass
---@field kind "pass"

---Stops what the client is about to do, where it lets a hook do that.
---@class (exact) dsh.host.Refuse
---@field kind "refuse"
---@field reason string Tells the model or the human why.

---Adds something for the model.
---@class (exact) dsh.host.Note
---@field kind "note"
---@field contexts string|(string|dsh.session.Context)[] The texts to add.

---Answers an event.
---@alias dsh.host.EventDecision dsh.host.Pass|dsh.host.Refuse|dsh.host.Note

---Restricts a handler, and names it.
---@class (exact) dsh.Filter
---@field rule? string Names the handler where its answers are explained and logged; else it has the name of the file.
---@field raw? boolean If true, the answer stands as it is and is not joined with those of the handlers behind.

---Restricts a handler to payloads with certain names.
---@class (exact) dsh.MatchFilter: dsh.Filter
---@field match? string|string[] Patterns with *, ? and [] for the whole name: of the tool, the event, or what the point calls its subject.

---Restricts a handler to certain tools and actions.
---@class (exact) dsh.ToolFilter: dsh.MatchFilter
---@field tool? string|string[] Exact names of tools.
---@field action? dsh.ActionKind|dsh.ActionKind[] Kinds of actions, which fit every client.

---How the rest of the chain is asked once more.
---@class (exact) dsh.NextOptions
---@field timeout_ms? integer After how many milliseconds it is cancelled.

---The kinds of actions.
---@alias dsh.ActionKind "shell"|"write"|"edit"|"read"|"delete"|"search"|"fetch"|"mcp"|"agent"|"other"

---Attaches a handler to an extension point. It is called with a payload that
---cannot be changed, and returns an answer, or nothing if it has no opinion.
---
---At most points next() asks the handlers behind this one. An answer that was
---given without it is joined with theirs, and the stricter wins.
---
---Call it at file level, with a literal name and a literal filter, so that a file
---which does not concern an event need not be run.
---@overload fun(point: "agent/session-start", handler: fun(payload: dsh.agent.Started))
---@overload fun(point: "agent/session-start", filter: dsh.MatchFilter, handler: fun(payload: dsh.agent.Started))
---@overload fun(point: "agent/session-end", handler: fun(payload: dsh.agent.Ended))
---@overload fun(point: "agent/session-end", filter: dsh.MatchFilter, handler: fun(payload: dsh.agent.Ended))
---@overload fun(point: "agent/pre-step", handler: fun(payload: dsh.agent.Step, next: fun(): dsh.agent.StepDecision): dsh.agent.StepDecision?)
---@overload fun(point: "agent/pre-step", filter: dsh.Filter, handler: fun(payload: dsh.agent.Step, next: fun(): dsh.agent.StepDecision): dsh.agent.StepDecision?)
---@overload fun(point: "agent/request", handler: fun(payload: dsh.agent.Request, next: fun(): dsh.agent.RequestDecision): dsh.agent.RequestDecision?)
---@overload fun(point: "agent/request", filter: dsh.Filter, handler: fun(payload: dsh.agent.Request, next: fun(): dsh.agent.RequestDecision): dsh.agent.RequestDecision?)
---@overload fun(point: "agent/request-error", handler: fun(payload: dsh.agent.RequestFailure, next: fun(): dsh.agent.RequestErrorDecision): dsh.agent.RequestErrorDecision?)
---@overload fun(point: "agent/request-error", filter: dsh.Filter, handler: fun(payload: dsh.agent.RequestFailure, next: fun(): dsh.agent.RequestErrorDecision): dsh.agent.RequestErrorDecision?)
---@overload fun(point: "agent/turn-stopping", handler: fun(payload: dsh.agent.Stopping))
---@overload fun(point: "agent/turn-stopping", filter: dsh.Filter, handler: fun(payload: dsh.agent.Stopping))
---@overload fun(point: "agent/pre-compact", handler: fun(payload: dsh.agent.Compaction, next: fun(): dsh.agent.CompactionDecision): dsh.agent.CompactionDecision?)
---@overload fun(point: "agent/pre-compact", filter: dsh.MatchFilter, handler: fun(payload: dsh.agent.Compaction, next: fun(): dsh.agent.CompactionDecision): dsh.agent.CompactionDecision?)
---@overload fun(point: "agent/post-compact", handler: fun(payload: dsh.agent.Compacted))
---@overload fun(point: "agent/post-compact", filter: dsh.MatchFilter, handler: fun(payload: dsh.agent.Compacted))
---@overload fun(point: "agent/interrupt", handler: fun(payload: dsh.agent.Interrupted))
---@overload fun(point: "agent/interrupt", filter: dsh.Filter, handler: fun(payload: dsh.agent.Interrupted))
---@overload fun(point: "agent/notify", handler: fun(payload: dsh.agent.Notice))
---@overload fun(point: "agent/notify", filter: dsh.MatchFilter, handler: fun(payload: dsh.agent.Notice))
---@overload fun(point: "agent/status", handler: fun(payload: dsh.agent.Status))
---@overload fun(point: "agent/status", filter: dsh.MatchFilter, handler: fun(payload: dsh.agent.Status))
---@overload fun(point: "agent/error", handler: fun(payload: dsh.agent.Error))
---@overload fun(point: "agent/error", filter: dsh.Filter, handler: fun(payload: dsh.agent.Error))
---@overload fun(point: "tools/rewrite", handler: fun(payload: dsh.tool.Proposal, next: fun(): dsh.tool.Rewriting): dsh.tool.Rewriting?)
---@overload fun(point: "tools/rewrite", filter: dsh.ToolFilter, handler: fun(payload: dsh.tool.Proposal, next: fun(): dsh.tool.Rewriting): dsh.tool.Rewriting?)
---@overload fun(point: "tools/pre-execute", handler: fun(payload: dsh.tool.Call, next: fun(): dsh.tool.PreDecision): dsh.tool.PreDecision?)
---@overload fun(point: "tools/pre-execute", filter: dsh.ToolFilter, handler: fun(payload: dsh.tool.Call, next: fun(): dsh.tool.PreDecision): dsh.tool.PreDecision?)
---@overload fun(point: "tools/approve", handler: fun(payload: dsh.tool.Approval, next: fun(): dsh.tool.ApprovalDecision): dsh.tool.ApprovalDecision?)
---@overload fun(point: "tools/approve", filter: dsh.ToolFilter, handler: fun(payload: dsh.tool.Approval, next: fun(): dsh.tool.ApprovalDecision): dsh.tool.ApprovalDecision?)
---@overload fun(point: "tools/guard", handler: fun(payload: dsh.tool.Call): dsh.tool.GuardDecision?)
---@overload fun(point: "tools/guard", filter: dsh.ToolFilter, handler: fun(payload: dsh.tool.Call): dsh.tool.GuardDecision?)
---@overload fun(point: "tools/execute", handler: fun(payload: dsh.tool.Call, next: fun(options?: dsh.NextOptions): dsh.tool.Result): dsh.tool.Result?)
---@overload fun(point: "tools/execute", filter: dsh.ToolFilter, handler: fun(payload: dsh.tool.Call, next: fun(options?: dsh.NextOptions): dsh.tool.Result): dsh.tool.Result?)
---@overload fun(point: "tools/post-execute", handler: fun(payload: dsh.tool.Done, next: fun(): dsh.tool.PostDecision): dsh.tool.PostDecision?)
---@overload fun(point: "tools/post-execute", filter: dsh.ToolFilter, handler: fun(payload: dsh.tool.Done, next: fun(): dsh.tool.PostDecision): dsh.tool.PostDecision?)
---@overload fun(point: "tools/result", handler: fun(payload: dsh.tool.Done))
---@overload fun(point: "tools/result", filter: dsh.ToolFilter, handler: fun(payload: dsh.tool.Done))
---@overload fun(point: "subagent/start", handler: fun(payload: dsh.subagent.Started))
---@overload fun(point: "subagent/start", filter: dsh.MatchFilter, handler: fun(payload: dsh.subagent.Started))
---@overload fun(point: "subagent/end", handler: fun(payload: dsh.subagent.Ended))
---@overload fun(point: "subagent/end", filter: dsh.MatchFilter, handler: fun(payload: dsh.subagent.Ended))
---@overload fun(point: "host/event", handler: fun(payload: dsh.host.Event, next: fun(): dsh.host.EventDecision): dsh.host.EventDecision?)
---@overload fun(point: "host/event", filter: dsh.MatchFilter, handler: fun(payload: dsh.host.Event, next: fun(): dsh.host.EventDecision): dsh.host.EventDecision?)
function dsh.on(point, filter, handler) end

---Takes the step.
---@param fields { messages: dsh.session.Message[] }
---@return dsh.agent.Enter
function dsh.enter(fields) end

---Ends the turn; nothing enters the conversation.
---@param fields string|{ reason: string }
---@return dsh.agent.Reject
function dsh.reject(fields) end

---Sends the request.
---@param fields { config: dsh.agent.Config }
---@return dsh.agent.Send
function dsh.send(fields) end

---Ends the turn with the error.
---@return dsh.agent.Fail
function dsh.fail() end

---Sends the request again.
---@param fields? { after?: integer }
---@return dsh.agent.Retry
function dsh.retry(fields) end

---Lets it be summarised.
---@param fields? string|{ instructions?: string }
---@return dsh.agent.Proceed
function dsh.proceed(fields) end

---Leaves the conversation as it is.
---@param fields string|{ reason: string }
---@return dsh.agent.Cancel
function dsh.cancel(fields) end

---Leaves the arguments as they are.
---@return dsh.tool.Keep
function dsh.keep() end

---Replaces the arguments. All later points and records see the new ones; arguments that do not fit the tool make the call a failure.
---@param fields { arguments: any, reason?: string }
---@return dsh.tool.Rewrite
function dsh.rewrite(fields) end

---Has no objection. A client with a permission flow of its own still follows that.
---@param fields? { preapproved?: boolean, contexts?: string|(string|dsh.session.Context)[] }
---@return dsh.tool.Allow
function dsh.allow(fields) end

---Turns the call into a failure; the tool does not run.
---@param fields string|{ reason: string, contexts?: string|(string|dsh.session.Context)[] }
---@return dsh.tool.Deny
function dsh.deny(fields) end

---Lets an approver decide; where there is none the call is denied.
---@param fields? string|{ reason?: string, contexts?: string|(string|dsh.session.Context)[] }
---@return dsh.tool.Ask
function dsh.ask(fields) end

---What dsh.pass builds; it fits several points.
---@class (exact) dsh.answer.pass: dsh.tool.Pass, dsh.host.Pass

---Leaves the answer to others.
---
---Or: Has nothing to say.
---@return dsh.answer.pass
function dsh.pass() end

---Approves this one call.
---@return dsh.tool.Grant
function dsh.grant() end

---What dsh.refuse builds; it fits several points.
---@class (exact) dsh.answer.refuse: dsh.tool.Refuse, dsh.host.Refuse

---Denies the call.
---
---Or: Stops what the client is about to do, where it lets a hook do that.
---@param fields string|{ reason: string }
---@return dsh.answer.refuse
function dsh.refuse(fields) end

---Has no objection.
---@return dsh.tool.Abstain
function dsh.abstain() end

---Refuses the call. Nothing can overrule it.
---@param fields string|{ reason: string }
---@return dsh.tool.Forbid
function dsh.forbid(fields) end

---The outcome of a call that has a value.
---@param fields { value: any, content?: string|(string|dsh.session.Part)[], meta?: any, contexts?: string|(string|dsh.session.Context)[], concludes?: boolean }
---@return dsh.tool.Success
function dsh.success(fields) end

---The outcome of a call that has no value.
---@param fields string|{ message: string, name?: string, code?: string, content?: string|(string|dsh.session.Part)[], meta?: any, contexts?: string|(string|dsh.session.Context)[] }
---@return dsh.tool.Failure
function dsh.failure(fields) end

---Keeps the result, or replaces what the model is shown of it.
---@param fields? string|{ content?: string|(string|dsh.session.Part)[], value?: any, contexts?: string|(string|dsh.session.Context)[] }
---@return dsh.tool.Accept
function dsh.accept(fields) end

---Withholds the result: the model is shown the feedback instead.
---@param fields string|{ feedback: string|(string|dsh.session.Part)[], contexts?: string|(string|dsh.session.Context)[] }
---@return dsh.tool.Block
function dsh.block(fields) end

---Adds something for the model.
---@param fields string|{ contexts: string|(string|dsh.session.Context)[] }
---@return dsh.host.Note
function dsh.note(fields) end

---Returns an answer like the given one, with some members replaced. Use it on
---what next() returned, which cannot be changed itself.
---@generic T: table
---@param answer T
---@param changes table
---@return T
function dsh.with(answer, changes) end

---Writes a line to the log of this run, where explanations show it.
---@param text string
function dsh.log(text) end

---Says whether whoever installed this script gave it a grant, such as "preapprove".
---Only a handler can ask.
---@param name string
---@return boolean
function dsh.granted(name) end

---What is known of a repository.
---@class (exact) dsh.git.Repository
---@field root string the top folder of the working tree
---@field git_dir string where this working tree's own files are
---@field common_dir string where what all its working trees share is
---@field branch string? the current branch; nil if none is checked out
---@field head string? the commit that is checked out; nil before the first, or if it cannot be read
---@field worktree boolean whether it is a further working tree of a repository elsewhere
---@field submodule boolean whether it is a submodule of another repository
---@field remotes table<string, dsh.git.Remote> by name
---@field upstream string? what the branch follows, such as `origin/main`
---@field default_branch string? the branch that origin's HEAD named when it was cloned

---A remote.
---@class (exact) dsh.git.Remote
---@field url string?
---@field push_url string? where it is pushed to, if that is another place

---Facts of a git repository, read from its files; no process is started and nothing is written.
---What cannot be read is nil. Files that a configuration includes are not followed.
---@class (exact) dsh.git
local git = {}

---Returns the repository that a folder is in, or nil.
---@param folder? string else the session's working directory
---@return dsh.git.Repository?
function git.repository(folder) end

---Returns the commit that a ref names, such as `main`, `v1.0` or `origin/main`, or nil.
---@param ref string
---@param folder? string else the session's working directory
---@return string?
function git.commit(ref, folder) end

---Patterns for paths, as they are written in ignore files: `*` is any part of a name, `?` one
---letter of it, `[a-z]` and `[!a-z]` one of a set, `{a,b}` one of several, and `**` between
---slashes any number of folders. A pattern fits a whole path. It has at most 1 KiB, and its
---braces at most 256 combinations.
---@class (exact) dsh.glob
local glob = {}

---Reports whether a pattern fits the path. A pattern that cannot be read raises an error.
---@param pattern string|string[] one pattern, or several of which one has to fit
---@param path string
---@return boolean
function glob.match(pattern, path) end

---Returns the paths that a pattern fits, in their order.
---@param pattern string|string[] one pattern, or several of which one has to fit
---@param paths string[]
---@return string[]
function glob.filter(pattern, paths) end

---Sums of texts of at most 4 MiB, in lower case hexadecimal digits. Keep the sum of a text
---where the text itself must not be kept.
---@class (exact) dsh.hash
local hash = {}

---Returns the SHA-256 of a text, 64 digits.
---@param text string
---@return string
function hash.sha256(text) end

---Returns the SHA-512 of a text, 128 digits.
---@param text string
---@return string
function hash.sha512(text) end

---Returns the SHA-1 of a text, 40 digits. It names the objects of git; it protects nothing.
---@param text string
---@return string
function hash.sha1(text) end

---Returns the MD5 of a text, 32 digits, to compare with sums that others published. It protects
---nothing.
---@param text string
---@return string
function hash.md5(text) end

---The value of json.null.
---@class (exact) dsh.json.Null

---Reads and writes JSON without loss, and has what Lua lacks to say in JSON: null, and a list
---that is empty. Integers that a float would round are strings of their digits in Lua; handed
---back, they are the number again.
---@class (exact) dsh.json
---@field null dsh.json.Null Stands for null where a table becomes JSON.
local json = {}

---Reads one JSON text of at most 1 MiB, 100 levels deep. The result cannot be changed;
---json.thaw copies it. Of several members with one name the last counts, at the place of the
---first. A text that is not JSON raises an error that says where.
---@param text string the JSON
---@return any # a frozen table, or a scalar
function json.decode(text) end

---Writes a value as JSON on one line; the members of a table in the order of their names.
---Functions, numbers that are not finite, and tables with mixed keys or a metatable raise an
---error.
---@param value any what to write
---@return string
function json.encode(value) end

---Copies a list, so that it is one in JSON even while it is empty.
---@param list? any[] nothing for an empty list
---@return any[]
function json.array(list) end

---Copies a frozen table, such as a part of a payload, into an ordinary one.
---@param value any
---@return any
function json.thaw(value) end

---Names of the tools of MCP servers, as clients write them: `mcp__SERVER__TOOL`. A server may
---be named by an identifier that changes, so a rule about a tool looks at the short name.
---@class (exact) dsh.mcp
local mcp = {}

---Takes a name apart. The server ends at the next `__`, because the names of tools hold that
---more often than those of servers. Nil if it is no such name.
---@param name string
---@return string? server
---@return string? tool
function mcp.split(name) end

---Paths with slashes, of at most 16 KiB. What only looks at the text does so without a disk;
---path.real and path.inside follow symbolic links. A relative path is one from the session's
---working directory.
---@class (exact) dsh.path
local path = {}

---Removes what says nothing: empty names, `.`, and `NAME/..`. The text alone is looked at.
---@param path string
---@return string
function path.clean(path) end

---Joins parts with slashes and cleans the result. Empty parts are left out.
---@param ... string the parts, at least one
---@return string
function path.join(...) end

---Returns the last name.
---@param path string
---@return string
function path.base(path) end

---Returns all but the last name.
---@param path string
---@return string
function path.dir(path) end

---Returns the ending of the last name from its last dot on, or an empty string.
---@param path string
---@return string
function path.ext(path) end

---Returns the names that a path is made of, without `.` and empty ones.
---@param path string
---@return string[]
function path.names(path) end

---Makes a path absolute and cleans it; a path that begins with `~/` is one in the user's home
---folder. Nil if it is not known from where the path is.
---@param path string
---@param base? string an absolute folder; else the session's working directory
---@return string?
function path.absolute(path, base) end

---Returns the path from one place to another, by their text. Nil if one is absolute and the
---other is not, or if `..` hides where the first is.
---@param from string a folder
---@param to string
---@return string?
function path.relative(from, to) end

---Returns the absolute path behind all symbolic links. What does not exist yet leads to itself.
---Nil if it cannot be known.
---@param path string
---@return string?
function path.real(path) end

---Reports whether the real place of a path is a folder or below it, links followed on both
---sides. Nil, which is not true, if it cannot be known.
---@param path string
---@param folder? string else the session's project
---@return boolean?
function path.inside(path, folder) end

---Where a pattern was found, in bytes from 1, both ends included as in string.sub.
---@class (exact) dsh.re.Match
---@field from integer the first byte
---@field to integer the last byte; `from - 1` if the match is empty
---@field text string what was found
---@field groups (string|false)[] what each group holds; false if it took no part
---@field named table<string, string> what the named groups hold, `(?P<name>…)`

---Regular expressions of [RE2](https://github.com/google/re2/wiki/Syntax), which take time in
---proportion to the text whatever the pattern. A pattern has at most 2 KiB and compiles to at
---most 4,096 instructions; a text has at most 1 MiB. A pattern is found anywhere in the text
---unless it says `^` or `$`. Write patterns in long brackets, `[[\d+]]`, where a backslash is
---one.
---@class (exact) dsh.re
local re = {}

---Reports whether the pattern is found in the text.
---@param pattern string
---@param text string
---@return boolean
function re.match(pattern, text) end

---Returns the first match, or nil.
---@param pattern string
---@param text string
---@return dsh.re.Match?
function re.find(pattern, text) end

---Returns all matches that do not overlap.
---@param pattern string
---@param text string
---@param limit? integer how many at most; 1000 if left out, and never more
---@return dsh.re.Match[]
function re.all(pattern, text, limit) end

---Returns the number of the first pattern in the list that is found in the text, or nil.
---@param patterns string[]
---@param text string
---@return integer?
function re.any(patterns, text) end

---Returns the text with all matches replaced, and how many there were. In the replacement `$1`
---and `${name}` stand for groups, and `$$` for a dollar sign.
---@param pattern string
---@param text string
---@param replacement string
---@param limit? integer how many at most; 1000 if left out, and never more
---@return string
---@return integer
function re.replace(pattern, text, replacement, limit) end

---Returns what stands between the matches.
---@param pattern string
---@param text string
---@param limit? integer how many at most; 1000 if left out, and never more
---@return string[]
function re.split(pattern, text, limit) end

---Returns a pattern for the very text.
---@param text string
---@return string
function re.quote(text) end

---One rule.
---@class (exact) dsh.rules.Rule
---@field name string names it in answers and exceptions
---@field reason string tells the model why
---@field hint? string tells the model what to do instead
---@field match string|string[]|fun(part: any): any a pattern of re, or several, for a part that is a text, or for its path; or a function that is true for a part that the rule is about

---Where a rule does not hold.
---@class (exact) dsh.rules.Exception
---@field rule string the name of the rule
---@field path string|string[] a pattern of glob for the part, or for its path and real path, which both have to fit; one that does not begin with / is for paths below the project
---@field expires? string the last day on which it holds, as 2026-12-31, by the time of the event; where that is not known it does not hold
---@field because? string why, for readers

---A rule that is broken.
---@class (exact) dsh.rules.Hit
---@field rule string its name
---@field reason string
---@field hint string?
---@field part any the part that breaks it

---Rules, in order, with their exceptions.
---@class (exact) dsh.rules.Set
local Set = {}

---Denies if any part breaks a rule: the first part in order, by the first rule. The reason
---names the rule, its hint becomes a context for the model.
---@param parts string|any[] what is judged: the commands of a line, the files of a call
---@return { kind: "deny", reason: string, contexts?: string[] }? # an answer, or nil
function Set:deny(parts) end

---Asks in the same case.
---@param parts string|any[] what is judged: the commands of a line, the files of a call
---@return { kind: "ask", reason: string, contexts?: string[] }? # an answer, or nil
function Set:ask(parts) end

---Returns the rule that is broken and the part that does, or nil, for a rule that answers in
---its own way.
---@param parts string|any[] what is judged: the commands of a line, the files of a call
---@return dsh.rules.Hit?
function Set:hit(parts) end

---Reports whether each part fits at least one rule, and there is a part. Allow only then: a
---line is as harmless as its worst part.
---@param parts string|any[] what is judged: the commands of a line, the files of a call
---@return boolean
function Set:every(parts) end

---Rules as data: each has a name, a reason and a hint for the agent, and exceptions that are
---narrower than a switch. Deny if any part breaks a rule; allow only if every part fits one.
---@class (exact) dsh.rules
local rules = {}

---Makes a set of rules, at file level. Mistakes in them raise an error there: unknown fields,
---two rules of one name, an exception of a rule that is not there.
---@param rules dsh.rules.Rule[]
---@param exceptions? dsh.rules.Exception[]
---@return dsh.rules.Set
function rules.new(rules, exceptions) end

---The parts of a version.
---@class (exact) dsh.semver.Version
---@field major integer
---@field minor integer
---@field patch integer
---@field prerelease string? such as `rc.1`
---@field build string? which says nothing about the order

---Versions after [Semantic Versioning](https://semver.org). A `v` in front is allowed, and
---numbers that are left out at the end are 0: `v1.2` is 1.2.0.
---@class (exact) dsh.semver
local semver = {}

---Takes a version apart, or returns nil if it is none.
---@param version string
---@return dsh.semver.Version?
function semver.parse(version) end

---Returns -1, 0 or 1 as a is older than, the same as or newer than b. What is no version raises
---an error.
---@param a string
---@param b string
---@return integer
function semver.compare(a, b) end

---Reports whether a version is in a range: comparisons such as `>=1.2 <2`, which all have to
---hold; `^1.2` (no change of the first number that is not 0), `~1.2` (of the second), `1.x`,
---`1.2 - 1.4`; and `||` between ranges. A prerelease is only in a range that names a prerelease
---of the same version. What is no version or no range raises an error.
---@param version string
---@param range string
---@return boolean
function semver.satisfies(version, range) end

---What is known of where a line runs.
---@class (exact) dsh.shell.Known
---@field cwd? string the absolute folder in which it starts
---@field home? string the absolute home folder

---What a line would run.
---@class (exact) dsh.shell.Line
---@field commands dsh.shell.Command[] the simple commands, in the order in which they start
---@field problem? string why there may be more commands than these

---A simple command.
---@class (exact) dsh.shell.Command
---@field name? string the program without its folder; nil if it is not known, or if there are only assignments or redirections
---@field argv dsh.shell.Word[] the words, the program first
---@field sub? string the subcommand of a program that has some: push of git
---@field before dsh.shell.Option[] the options in front of the subcommand
---@field options dsh.shell.Option[] the options, read as the program reads them where dsh knows it
---@field operands dsh.shell.Word[] the other words
---@field unsure? boolean whether a word that is not known may be an option
---@field unlisted? boolean whether dsh does not know the program, so that it may run words that it is given
---@field assigns dsh.shell.Assign[] the assignments in front of it
---@field redirects dsh.shell.Redirect[] its redirections
---@field input? dsh.shell.Input its standard input, if the line redirects it
---@field via string[] the programs that run it, the outermost first
---@field where? string "remote" or "container" if it does not run on this machine
---@field cwd? string the folder that it runs in; nil if that is not known
---@field code dsh.shell.Code[] programs in other languages that it is given
---@field script? dsh.shell.Word the file that it runs as a program
---@field scripts integer[] the commands that write this file, by their place in commands
---@field opaque? string why not all that it runs is known
---@field wrapper? boolean whether it runs commands that follow in the list
---@field pipeline? integer the number of its pipeline
---@field member? integer its place there
---@field subshell? boolean whether it is in ( )
---@field loop? boolean whether it is in a loop
---@field in_function? boolean whether it is in a function that is called
---@field background? boolean whether nobody waits for it
---@field condition? boolean whether it is a condition of if or while
---@field substitution? boolean whether it is in $( ) or <( )
---@field maybe? boolean whether it runs only if another one fails or succeeds in a branch
---@field depth? integer how many shells within each other run it

---A word after expansion, without its quotes.
---@class (exact) dsh.shell.Word
---@field text? string the word; nil if it is not known or has several texts
---@field known boolean whether texts are all that it can be
---@field texts string[] the known texts that it may have
---@field prefix? string of a word that is not known: how it begins
---@field suffix? string of a word that is not known: how it ends
---@field glob? boolean whether it holds characters that match file names
---@field many? boolean whether it may turn out as any number of words
---@field raw? string the word as it is written
---@field from integer[] the commands whose output is part of it, by their place in commands

---An option.
---@class (exact) dsh.shell.Option
---@field name string without its dashes
---@field value? dsh.shell.Word what it is given
---@field long? boolean whether it is more than a letter

---An assignment.
---@class (exact) dsh.shell.Assign
---@field name string the variable
---@field value dsh.shell.Word
---@field append? boolean whether it is +=

---A redirection.
---@class (exact) dsh.shell.Redirect
---@field kind string "read", "write", "append", "duplicate" or "here"
---@field fd? string the descriptor, if it is written; "&" for output and errors
---@field target dsh.shell.Word the file, the descriptor, or the text of a here-document

---A standard input.
---@class (exact) dsh.shell.Input
---@field kind string "pipe", "here" or "file"
---@field text dsh.shell.Word what is read
---@field from integer[] the commands whose output is read, by their place in commands

---A program in another language.
---@class (exact) dsh.shell.Code
---@field language string such as "python", "javascript", "perl"
---@field text dsh.shell.Word

---Where a text leads if it is a path.
---@class (exact) dsh.shell.Place
---@field text string the text
---@field path? string the absolute path by its text alone; of one with wild cards the folder that holds all that they match. Nil if the folder of the command is not known
---@field entry? string the path with the links on its way followed, but not one at its end: what rm removes
---@field real? string the path with all links followed: what cat reads
---@field glob? string the part with wild cards, which is not in path

---Says which simple commands a line of shell would run, after quotes, variables, substitutions
---and the programs that run other programs. What only the run itself can tell is marked as not
---known. A line has at most 64 KiB and 100 brackets within each other; a longer or deeper one
---is a problem of the line, not an error.
---@class (exact) dsh.shell
local shell = {}

---Reads a line as bash does. It never fails: what cannot be read is told by the field problem.
---The line starts in the folder of the call that is judged and with the home folder of the
---user, unless given.
---@param line string the line
---@param known? dsh.shell.Known what is known of where it runs
---@return dsh.shell.Line # frozen
function shell.parse(line, known) end

---Finds the last option of a command that has one of the names. The beginning of a long name
---counts, as most programs take it, and --no-NAME takes an option back.
---@param command dsh.shell.Command
---@param names string names without dashes, separated by blanks: "f force"
---@return dsh.shell.Word|boolean # the word that the option is given; true if none; false without the option
function shell.flag(command, names) end

---Finds the first command of a line that is of a program, with an option if one is asked for.
---What is not known does not count as found: perhaps says whether there may be such a command
---besides.
---@param line dsh.shell.Line
---@param program string its name, with a subcommand if only that is meant: "git push"
---@param names? string of options, without dashes, separated by blanks: "f force"
---@return dsh.shell.Command?
---@return boolean perhaps # whether what the line hides, or a word that is not known, may make another one
function shell.find(line, program, names) end

---Says where the texts of a word lead if they are paths. A word that is not known has the
---places that are known to be possible. Symbolic links are followed where the host knows of
---them.
---@param command dsh.shell.Command whose folder counts
---@param word dsh.shell.Word|string
---@return dsh.shell.Place[]
---@return boolean known # whether these are all
function shell.places(command, word) end

---Values under keys. Each method is one transaction.
---@class (exact) dsh.state.Store
local Store = {}

---Returns a value, or nil. A table cannot be changed; json.thaw copies it.
---@param key string
---@return any
function Store:get(key) end

---Sets a value: anything that JSON can say but null. Without ttl it stays.
---@param key string
---@param value any
---@param ttl? number after how many seconds it is forgotten; else it stays
function Store:set(key, value, ttl) end

---Adds to a number, which is 0 if it is not there, and returns the sum. The ttl counts from
---when the number is made and is not renewed: it is the length of a window in which things are
---counted.
---@param key string
---@param by? number 1 if left out
---@param ttl? number after how many seconds it is forgotten; else it stays
---@return number
function Store:incr(key, by, ttl) end

---Returns after how many seconds a value is forgotten; nil if it is not there or stays. With
---seconds it sets that first, if the value is there.
---@param key string
---@param seconds? number
---@return number?
function Store:ttl(key, seconds) end

---Removes a value and reports whether it was there.
---@param key string
---@return boolean
function Store:delete(key) end

---Returns the keys, sorted.
---@param prefix? string that they begin with
---@return string[]
function Store:keys(prefix) end

---What a policy remembers from one event to the next, although each hook is a process of its
---own: `state.session` for as long as the session, `state.project` for all sessions of a
---project. A policy has its own entries, which no other file sees. Parallel hooks do not lose
---each other's changes, and what a method has done survives a crash. Where the state cannot be
---had within 250 ms, the method fails, and with it the policy, which then denies. A store has
---at most 1,000 keys of 256 bytes, values of 8 KiB, and 128 KiB in all; a run may use it 64
---times. A store that nobody changed for 30 days is forgotten.
---@class (exact) dsh.state
---@field session dsh.state.Store What belongs to the session of the payload.
---@field project dsh.state.Store What belongs to its project.
local state = {}

---One line of a comparison.
---@class (exact) dsh.text.Change
---@field kind "same"|"removed"|"added" where the line stands: in both texts, only in the first, only in the second
---@field line string without its end
---@field before integer? its number in the first text
---@field after integer? its number in the second text

---A letter that is not what it seems.
---@class (exact) dsh.text.Mark
---@field at integer its first byte
---@field code string such as `U+200B`
---@field kind "zero-width"|"direction"|"tag"|"selector"|"control"|"confusable" why it is reported
---@field like string? the ASCII letters that a confusable one looks like

---What rules ask of a text of at most 1 MiB: its lines, how it differs from another, and
---whether it says something else than a reader sees.
---@class (exact) dsh.text
local text = {}

---Splits a text into its lines, at most 20,000, without their ends. A last line without an end
---counts; nothing behind the last end does not.
---@param text string
---@return string[]
function text.lines(text) end

---Removes white space from both ends.
---@param text string
---@return string
function text.trim(text) end

---Compares two texts by lines, with the fewest changes. Texts of more than 5,000 lines, or that
---differ in more than 500, are compared by their common beginning and end alone.
---@param before string
---@param after string
---@return dsh.text.Change[]
function text.diff(before, after) end

---Returns the letters that nobody sees: of no width, that change the direction of reading,
---tags, variation selectors, and control characters other than tab and line ends. At most 100.
---@param text string
---@return dsh.text.Mark[]
function text.invisible(text) end

---Returns the letters that look like ASCII ones and are none: Cyrillic, Greek, full width,
---mathematical. At most 100.
---@param text string
---@return dsh.text.Mark[]
function text.confusable(text) end

---Returns the text as a reader takes it: invisible letters left out, confusable ones replaced
---by ASCII. Compare skeletons to find names that are made to look alike.
---@param text string
---@return string
function text.skeleton(text) end

---A time as a date of UTC.
---@class (exact) dsh.time.Date
---@field year integer
---@field month integer from 1
---@field day integer of the month, from 1
---@field hour integer
---@field minute integer
---@field second integer
---@field weekday integer from 1 for Monday to 7
---@field yearday integer from 1

---The time of the event that a policy judges. It is not the clock: it stands still while a
---handler runs, and a replay gives the time of then, so that the verdict is the same. Times are
---seconds since the beginning of 1970, dates are those of UTC.
---@class (exact) dsh.time
local time = {}

---Returns the time of the event. Where the host does not tell it, an error.
---@return number
function time.now() end

---Reads `2026-01-31`, which is midnight of UTC, or a time of RFC 3339 such as
---`2026-01-31T12:00:00+02:00`. Nil if it is neither.
---@param text string
---@return number?
function time.parse(text) end

---Writes a time as RFC 3339 in UTC, in whole seconds.
---@param seconds number since the beginning of 1970, UTC
---@return string
function time.format(seconds) end

---Takes a time apart.
---@param seconds number since the beginning of 1970, UTC
---@return dsh.time.Date
function time.date(seconds) end

---Reads a length of time such as `90s`, `1h30m` or `2d`, and returns its seconds. Nil if it is
---none.
---@param text string
---@return number?
function time.duration(text) end

---The parts of a URL; parts that are not there are absent.
---@class (exact) dsh.url.URL
---@field scheme string? in lower case
---@field user string? the name before `@`
---@field has_password boolean whether a password stands there too
---@field host string? in lower case, without port and without the dot of a full name
---@field port integer? as written; absent if the scheme implies it
---@field path string decoded
---@field query table<string, string[]> decoded, in the order of the text for each name
---@field fragment string? decoded

---Takes URLs of at most 16 KiB apart, as a browser would: what a rule must not do with
---patterns.
---@class (exact) dsh.url
local url = {}

---Takes a URL apart. Nil and the reason if it is none.
---@param text string
---@return dsh.url.URL?
---@return string? # why not
function url.parse(text) end

---Reports whether the host of a URL, or a host alone, is the domain or below it. A text that is
---no URL is within nothing.
---@param url string
---@param domain string|string[] without a dot in front
---@return boolean
function url.within(url, domain) end

---Escapes a text so that it can stand in a query.
---@param text string
---@return string
function url.encode(text) end

---Undoes that. Nil if an escape is broken.
---@param text string
---@return string?
function url.decode(text) end

---Returns a module of dsh, or what the file NAME.lua beside this one returns.
---@overload fun(name: "git"): dsh.git
---@overload fun(name: "glob"): dsh.glob
---@overload fun(name: "hash"): dsh.hash
---@overload fun(name: "json"): dsh.json
---@overload fun(name: "mcp"): dsh.mcp
---@overload fun(name: "path"): dsh.path
---@overload fun(name: "re"): dsh.re
---@overload fun(name: "rules"): dsh.rules
---@overload fun(name: "semver"): dsh.semver
---@overload fun(name: "shell"): dsh.shell
---@overload fun(name: "state"): dsh.state
---@overload fun(name: "text"): dsh.text
---@overload fun(name: "time"): dsh.time
---@overload fun(name: "url"): dsh.url
---@param name string
---@return any
function require(name) end

---What the policies made of a payload.
---@class (exact) dsh.test.Outcome
---@field kind string of the answer; fault, told or none where there is none
---@field decided boolean whether a policy gave it
---@field reason? string of the answer or the fault
---@field rule? string that decided
---@field at? string the file:line that built the answer
---@field extension? string the file of the policy that decided
---@field point? string whose answer it is
---@field answer? table the whole answer
---@field arguments? table that a client's call runs with instead of its own
---@field contexts? string[] that the model is told
---@field effects? table<string, string[]> texts by inject, steer, halt and tell
---@field fault? string what went wrong in a policy
---@field stdout? string of a client's hook
---@field stderr? string of a client's hook
---@field exit? integer of a client's hook

---What a test says of a value. Each returns the expectation, so that more can follow.
---@class (exact) dsh.test.Expectation
local Expectation = {}

---The answer is of a kind.
---@param kind string
---@param part? string that the reason contains
---@return dsh.test.Expectation
function Expectation:is(kind, part) end

---The call is allowed.
---@param part? string that the reason contains
---@return dsh.test.Expectation
function Expectation:allows(part) end

---The call is denied.
---@param part? string that the reason contains
---@return dsh.test.Expectation
function Expectation:denies(part) end

---Somebody has to approve the call.
---@param part? string that the reason contains
---@return dsh.test.Expectation
function Expectation:asks(part) end

---A guard refuses the call.
---@param part? string that the reason contains
---@return dsh.test.Expectation
function Expectation:forbids(part) end

---The result is accepted.
---@param part? string that the reason contains
---@return dsh.test.Expectation
function Expectation:accepts(part) end

---The result is withheld.
---@param part? string that the reason contains
---@return dsh.test.Expectation
function Expectation:blocks(part) end

---The step is rejected.
---@param part? string that the reason contains
---@return dsh.test.Expectation
function Expectation:rejects(part) end

---No policy has an opinion, and none has an effect.
---@return dsh.test.Expectation
function Expectation:silent() end

---The reason is exactly this text.
---@param text string
---@return dsh.test.Expectation
function Expectation:reason(text) end

---The rule with this name decided.
---@param name string
---@return dsh.test.Expectation
function Expectation:rule(name) end

---The answer was built on a line: file:line or the end of it, such as :12.
---@param place string
---@return dsh.test.Expectation
function Expectation:at(place) end

---The whole answer is this table.
---@param answer table
---@return dsh.test.Expectation
function Expectation:answer(answer) end

---A client's call runs with these arguments instead of its own.
---@param arguments table
---@return dsh.test.Expectation
function Expectation:rewrites(arguments) end

---A policy is at fault; part is in what is wrong.
---@param part? string
---@return dsh.test.Expectation
function Expectation:faults(part) end

---The answer adds a text for the model.
---@param part? string that a text of it contains
---@return dsh.test.Expectation
function Expectation:context(part) end

---No policy injects, steers, halts or tells anything.
---@return dsh.test.Expectation
function Expectation:no_effects() end

---A policy adds a message to the next request.
---@param part? string that a text of it contains
---@return dsh.test.Expectation
function Expectation:injects(part) end

---A policy asks for another step.
---@param part? string that a text of it contains
---@return dsh.test.Expectation
function Expectation:steers(part) end

---A policy ends the turn.
---@param part? string that a text of it contains
---@return dsh.test.Expectation
function Expectation:halts(part) end

---A policy tells the human something.
---@param part? string that a text of it contains
---@return dsh.test.Expectation
function Expectation:tells(part) end

---The value is this one; tables are compared by what is in them.
---@param want any
---@return dsh.test.Expectation
function Expectation:equals(want) end

---The value is not this one.
---@param want any
---@return dsh.test.Expectation
function Expectation:differs(want) end

---A text contains a part, or a list an item.
---@param want any
---@return dsh.test.Expectation
function Expectation:contains(want) end

---The value is neither nil nor false.
---@return dsh.test.Expectation
function Expectation:truthy() end

---The value is nil or false.
---@return dsh.test.Expectation
function Expectation:falsy() end

---The function raises an error; part is in its text.
---@param part? string
---@return dsh.test.Expectation
function Expectation:raises(part) end

---The value is the one that is kept under a name in the file NAME_test.snap. dsh test --update
---writes it.
---@param name string
---@return dsh.test.Expectation
function Expectation:snapshot(name) end

---What came of one message.
---@class (exact) dsh.test.Turn
---@field calls dsh.test.Outcome[] for each call of the model what the policies decided about it: a guard's refusal, else the answer at tools/pre-execute
---@field results string[] what the model was shown of each
---@field outcomes dsh.test.Outcome[] of everything that the policies were asked, in order
---@field requests integer how many answers of the model there were
---@field text string what the model said last
---@field ended string how the turn ended, as the log has it, and why
---@field messages string[] that entered the conversation, those of policies included
---@field told string[] what the human was told

---A session of the agent loop, with a scripted model.
---@class (exact) dsh.test.Session
local Session = {}

---Says something to the agent, waits until it is idle again, and returns what came of it.
---@param text string
---@return dsh.test.Turn
function Session:say(text) end

---What a file of tests has beyond the language: it declares tests, puts payloads to the
---policies under test, and says what it expects.
---@class (exact) dsh.test
test = {}

---Groups what body declares under a name. Groups may be nested.
---@param name string
---@param body function
function test.describe(name, body) end

---Declares a test. Names are unique within a group.
---@param name string
---@param body function
function test.it(name, body) end

---Declares a test for each entry of a list: body is called with the entry. A test is named by
---the member name of its entry, else by the entry itself or its first item.
---@param list any[]
---@param body function
function test.cases(list, body) end

---Has a function called before each test of the group and of the groups within.
---@param body function
function test.before(body) end

---Has a function called after each test of the group and of the groups within, also if it
---failed.
---@param body function
function test.after(body) end

---Names the policies under test, by their paths from the folder of this file, in the order in
---which they are asked. Without it NAME_test.lua tests NAME.lua.
---@param ... string
function test.policy(...) end

---Lets the policies under test do what needs a grant: preapprove.
---@param grant string
function test.grant(grant) end

---Begins an expectation of a value: of what fire, hook or a session returned, or of any other.
---What follows with a colon says what is expected, and fails the test if it is not so.
---@param got? any
---@return dsh.test.Expectation
function test.expect(got) end

---Adds a line to what is shown of a test that fails.
---@param text string
function test.log(text) end

---Puts a payload to an extension point and returns what the policies made of it. Members that
---the payload lacks are typical ones: the session is session-1 of claude-code in /home/dev/app.
---@param point string
---@param payload? table
---@return dsh.test.Outcome
function test.fire(point, payload) end

---Puts what a client sends to its hook, as dsh hook reads it: the table of an event with
---hook_event_name, whose missing members are typical ones; a call from test.shell and its like,
---which becomes that client's own call before a tool, and is an error if the client has no such
---call; or the very text of a payload, as it is.
---@param client string claude-code or codex
---@param payload any
---@return dsh.test.Outcome
function test.hook(client, payload) end

---Returns the payload that fire would put to a point.
---@param point string
---@param payload? table
---@return table
function test.payload(point, payload) end

---Returns the text of a payload file, by its path from the folder of this file, for fire (as a
---table, through json.decode) or hook (as it is).
---@param path string
---@return string
function test.captured(path) end

---Returns the payload of a call of a command line. It is one of Claude Code; test.hook makes it
---one of another client.
---@param command string
---@return table
function test.shell(command) end

---Returns the payload of a call that writes files. Their real paths are those of the invented
---files, as they are when it is called.
---@param ... string paths; what is not absolute lies in the project, ~/ in the home
---@return table
function test.write(...) end

---Returns the payload of a call that changes parts of files. Their real paths are those of the
---invented files, as they are when it is called.
---@param ... string paths; what is not absolute lies in the project, ~/ in the home
---@return table
function test.edit(...) end

---Returns the payload of a call that reads files. Their real paths are those of the invented
---files, as they are when it is called.
---@param ... string paths; what is not absolute lies in the project, ~/ in the home
---@return table
function test.read(...) end

---Returns the payload of a call that removes files. Their real paths are those of the invented
---files, as they are when it is called.
---@param ... string paths; what is not absolute lies in the project, ~/ in the home
---@return table
function test.delete(...) end

---Returns the payload of a call that searches files, or folders of them; the project if none
---are named. Their real paths are those of the invented files, as they are when it is called.
---@param pattern string
---@param ... string paths; what is not absolute lies in the project, ~/ in the home
---@return table
function test.search(pattern, ...) end

---Returns the payload of a call that gets something from the network. It is one of Claude Code;
---test.hook makes it one of another client.
---@param url string
---@return table
function test.fetch(url) end

---Returns the payload of a call that starts a subagent. It is one of Claude Code; test.hook
---makes it one of another client.
---@param prompt string
---@return table
function test.agent(prompt) end

---Returns the payload of a call of a tool of an MCP server.
---@param server string
---@param name string
---@param arguments? table
---@return table
function test.mcp(server, name, arguments) end

---Sets the time of the events that follow: seconds since 1970, or a time of RFC 3339. A test
---begins at 2026-01-05T09:00:00Z.
---@param time string|number
function test.clock(time) end

---Moves the time forward.
---@param seconds number
function test.advance(seconds) end

---Makes files, by path: a text is the content of a file, true makes a folder, and { link =
---TARGET } a symbolic link. Paths are as for test.read.
---@param files table
function test.files(files) end

---Sets a value in the state of the policies under test, as if they had kept it in session-1 or
---in its project.
---@param store string session or project
---@param key string
---@param value any
function test.keep(store, key, value) end

---Returns what a policy under test keeps under a key, or nil: of the first that keeps something
---there.
---@param store string session or project
---@param key string
---@return any
function test.kept(store, key) end

---Begins a session of the agent loop. answers are those of the model, one for each request: {
---text = …, tools = { { tool = NAME, arguments = {…} } } }, as for dsh run --script. tools
---are those that it has, by name: a text is what a tool returns, a function is called with the
---arguments. A tool named like one of Claude Code has the action of that.
---@param script { answers: table[], tools?: table<string, string|function> }
---@return dsh.test.Session
function test.session(script) end

---Declares a test that something holds for commands however they are written: body is called
---with the command, written in a generated way that still runs it, and with the command itself.
---The same seed gives the same commands; of a failure the simplest command is shown that fails.
---@param name string
---@param commands string[] to begin with
---@param body function
---@param runs? integer how many commands are tried; 100 if left out
function test.property(name, commands, body, runs) end

