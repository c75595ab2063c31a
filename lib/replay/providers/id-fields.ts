import type { Provider } from "./provider";

/** `areMadeUp`: whether answers may have no ids, for which clients then make some up. Calls come before their results. */
type IdFields = { answer: readonly string[]; request: readonly string[]; areMadeUp?: boolean };

/** By provider. Only the recording proxy reads them, so they are not in what browsers load. */
const fields: Readonly<Record<string, IdFields>> = {
  anthropic: { answer: ["/content/*/id"], request: ["/messages/*/content/*/id", "/messages/*/content/*/tool_use_id"] },
  "openai-chat": {
    answer: ["/choices/*/message/tool_calls/*/id", "/choices/*/message/audio/id"],
    request: ["/messages/*/tool_calls/*/id", "/messages/*/tool_call_id", "/messages/*/audio/id"],
  },
  "openai-responses": {
    answer: ["/id", "/output/*/id", "/output/*/call_id", "/output/*/pending_safety_checks/*/id"],
    request: [
      "/previous_response_id",
      "/input/*/id",
      "/input/*/call_id",
      "/input/*/approval_request_id",
      "/input/*/pending_safety_checks/*/id",
      "/input/*/acknowledged_safety_checks/*/id",
    ],
  },
  gemini: {
    answer: ["/candidates/*/content/parts/*/functionCall/id"],
    request: ["/contents/*/parts/*/functionCall/id", "/contents/*/parts/*/functionResponse/id"],
    areMadeUp: true,
  },
  ollama: {
    answer: ["/message/tool_calls/*/id"],
    request: ["/messages/*/tool_calls/*/id", "/messages/*/tool_call_id"],
  },
};

const none: IdFields = { answer: [], request: [] };

/** Returns the places of the ids that answers issue, and of the same ids in requests, as JSON pointers; `*` stands for any member. */
export const idFieldsOf = ({ name }: Pick<Provider, "name">): IdFields => fields[name] ?? none;
