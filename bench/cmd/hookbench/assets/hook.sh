#!/usr/bin/env bash
# The same five rules with jq, the way hooks are mostly written.
event=$(cat)
[ "$(jq -r .tool_name <<<"$event")" = Bash ] || exit 0
command=$(jq -r '.tool_input.command // ""' <<<"$event")
for text in 'rm -rf /' 'push --force' 'reset --hard' 'chmod -R 777' 'mkfs.'; do
  if [[ "$command" == *"$text"* ]]; then
    jq -nc --arg reason "refused: $text" \
      '{hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: $reason}}'
    exit 0
  fi
done
