import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequests,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { textResult } from "./samples";

type InputResponses = ServerContext["mcpReq"]["inputResponses"];

/** The suite's state holds no secret, but instances have to share the key. */
export const requestState = createRequestStateCodec<{ round: number }>({
  key: "the state of the conformance fixtures has no secrets",
});

const form = (message: string, field: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties: { [field]: { type: "string" } }, required: [field] },
  });

const confirmation = inputRequired.elicit({
  message: "Please confirm",
  requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
});

const sample = (text: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text } }], maxTokens });

function isAccepted(given: InputResponses, key: string): boolean {
  const view = inputResponse(given, key);
  return view.kind === "elicit" ? view.action === "accept" : view.kind !== "missing";
}

function formValue(given: InputResponses, key: string, field: string): string | undefined {
  const view = inputResponse(given, key);
  const value = view.kind === "elicit" ? view.content?.[field] : undefined;
  return value === undefined ? undefined : String(value);
}

function registerSingleRoundTools(server: McpServer): void {
  server.registerTool("test_input_required_result_elicitation", { description: "Asks for a name." }, (context) => {
    const name = formValue(context.mcpReq.inputResponses, "user_name", "name");
    if (name !== undefined) return textResult(`Hello, ${name}!`);
    return inputRequired({ inputRequests: { user_name: form("What is your name?", "name") } });
  });
  server.registerTool("test_input_required_result_sampling", { description: "Asks the model." }, (context) => {
    const view = inputResponse(context.mcpReq.inputResponses, "capital_question");
    if (view.kind === "sampling") return textResult(JSON.stringify(view.result.content));
    return inputRequired({ inputRequests: { capital_question: sample("What is the capital of France?", 100) } });
  });
  server.registerTool("test_input_required_result_list_roots", { description: "Asks for the roots." }, (context) => {
    const view = inputResponse(context.mcpReq.inputResponses, "client_roots");
    if (view.kind === "roots") return textResult(view.roots.map(({ uri }) => uri).join(" "));
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  server.registerTool("test_missing_capability", { description: "Needs a client that can sample." }, () =>
    inputRequired({ inputRequests: { sampled: sample("Say anything.", 20) } }),
  );
  server.registerTool("test_streaming_elicitation", { description: "Asks on a stream." }, (context) => {
    if (isAccepted(context.mcpReq.inputResponses, "confirm")) return textResult("Confirmed.");
    return inputRequired({ inputRequests: { confirm: confirmation } });
  });
  server.registerTool(
    "test_input_required_result_capabilities",
    { description: "Requests what the client supports." },
    (context) => {
      const envelope = (context.mcpReq.envelope ?? {}) as Record<string, unknown>;
      const declared = (envelope[CLIENT_CAPABILITIES_META_KEY] ?? {}) as Record<string, unknown>;
      const inputRequests: InputRequests = {
        ...(declared.sampling !== undefined && { sampled: sample("Say anything.", 20) }),
        ...(declared.elicitation !== undefined && { asked: form("Say anything.", "text") }),
        ...(declared.roots !== undefined && { rooted: inputRequired.listRoots() }),
      };
      const isAnswered = Object.keys(inputRequests).some((key) => isAccepted(context.mcpReq.inputResponses, key));
      return isAnswered || Object.keys(inputRequests).length === 0
        ? textResult("Done.")
        : inputRequired({ inputRequests });
    },
  );
}

function registerStatefulTools(server: McpServer): void {
  for (const name of ["test_input_required_result_request_state", "test_input_required_result_tampered_state"]) {
    server.registerTool(name, { description: "Keeps its state in the client." }, async (context) => {
      if (context.mcpReq.requestState() && isAccepted(context.mcpReq.inputResponses, "confirm")) {
        return textResult("state-ok");
      }
      const inputRequests = { confirm: confirmation };
      return inputRequired({ inputRequests, requestState: await requestState.mint({ round: 1 }) });
    });
  }
  server.registerTool(
    "test_input_required_result_multiple_inputs",
    { description: "Requests all kinds of input." },
    async (context) => {
      const inputRequests = {
        user_name: form("What is your name?", "name"),
        greeting: sample("Generate a greeting", 50),
        client_roots: inputRequired.listRoots(),
      };
      const given = context.mcpReq.inputResponses;
      if (Object.keys(inputRequests).every((key) => isAccepted(given, key))) return textResult("All inputs arrived.");
      return inputRequired({ inputRequests, requestState: await requestState.mint({ round: 1 }) });
    },
  );
  server.registerTool(
    "test_input_required_result_multi_round",
    { description: "Requests input twice." },
    async (context) => {
      const { round = 0 } = context.mcpReq.requestState<{ round: number }>() ?? {};
      const given = context.mcpReq.inputResponses;
      if (round === 2 && isAccepted(given, "step2")) return textResult("Both steps are done.");
      const isSecond = round === 1 && isAccepted(given, "step1");
      const inputRequests: InputRequests = isSecond
        ? { step2: form("Step 2: What is your favorite color?", "color") }
        : { step1: form("Step 1: What is your name?", "name") };
      return inputRequired({ inputRequests, requestState: await requestState.mint({ round: isSecond ? 2 : 1 }) });
    },
  );
}

/** Registers tools and a prompt that return `input_required` and are called again, as in revision 2026-07-28. */
export function registerInputRequiredTools(server: McpServer): void {
  registerSingleRoundTools(server);
  registerStatefulTools(server);
  server.registerPrompt("test_input_required_result_prompt", { description: "Asks for its context." }, (context) => {
    const text = formValue(context.mcpReq.inputResponses, "user_context", "context");
    if (text !== undefined) return { messages: [{ role: "user", content: { type: "text", text } }] };
    return inputRequired({ inputRequests: { user_context: form("What context should the prompt use?", "context") } });
  });
}
