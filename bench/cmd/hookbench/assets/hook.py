"""The same five rules in Python."""
import json
import sys

event = json.load(sys.stdin)
if event["tool_name"] == "Bash":
    command = event["tool_input"]["command"]
    for text in ("rm -rf /", "push --force", "reset --hard", "chmod -R 777", "mkfs."):
        if text in command:
            answer = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": f"refused: {text}"}
            json.dump({"hookSpecificOutput": answer}, sys.stdout)
            break
