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
---@field turn integer Counts the turns of the session, from 1.
---@field step integer Counts the steps of the turn, from 1.
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
---@field turn integer Counts the turns of the session, from 1.
---@field reason? string Says why the turn ends.
---@field last_message? string The text of the model's last answer.
---@field stop_active boolean True if an extension already made this turn go on.
---@field stops integer Counts how often in a row that happened.
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
---@field live dsh.Live Acts on the session.

---Tells that a subagent is done.
---@class (exact) dsh.subagent.Ended
---@field session dsh.session.Ref The session that it worked for.
---@field id string Identifies the subagent.
---@field type? string The kind of subagent.
---@field outcome? string Says how it ended.
---@field last_message? string The text of its last answer.
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
