// The same five rules in JavaScript.
import { readFileSync } from "node:fs";

const event = JSON.parse(readFileSync(0, "utf8"));
if (event.tool_name === "Bash") {
  const refused = ["rm -rf /", "push --force", "reset --hard", "chmod -R 777", "mkfs."];
  const text = refused.find((text) => event.tool_input.command.includes(text));
  if (text !== undefined) {
    const answer = { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: `refused: ${text}` };
    console.log(JSON.stringify({ hookSpecificOutput: answer }));
  }
}
