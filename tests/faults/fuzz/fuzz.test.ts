import { request as httpRequest } from "node:http";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { childEnvironment } from "#lib/platform/config";
import { isExtended, repeatedTimeoutMs } from "#tests/support/extended";
import { issueKey } from "#tests/support/keys";
import { seededRandom } from "#tests/support/seeded-random";
import { parseRawResponse, sendRaw } from "#tests/support/send-raw";
import { DeclaredOperations, findGeneralProblems, type Received } from "./find-problems";
import { Choices } from "./hostile-values";
import { type FuzzCase, fuzzCase, type Operation } from "./openapi-cases";
import { rawCase } from "./raw-cases";
import { watchServer } from "./watch-server";

/** Number of cases: `FUZZ_CASES`, which can be set with `--extended`, else 150 altogether. */
const caseCount = Number((isExtended && childEnvironment().FUZZ_CASES) || (isExtended ? 30_000 : 150));
const rawCaseCount = caseCount / 5;
const timeout = repeatedTimeoutMs(1 + caseCount / 1_000);
const concurrency = 8;
/** Number of requests shown with a problem that one of them caused. */
const shownCount = 16;
const messagesPath = "/v1/messages";

/** Returns an address that counts as a client of its own, so that the tests of other files keep their daily limits. */
const clientAddress = (choices: Choices) => `127.66.${choices.below(256)}.${1 + choices.below(254)}`;

function send({ target, headers, body, operation }: FuzzCase, localAddress: string): Promise<Received> {
  const { hostname, port } = new URL(inject("baseUrl"));
  const method = operation.method.toUpperCase();
  const length = body ? { "content-length": String(body.byteLength) } : {};
  return new Promise((settle, reject) => {
    const options = {
      hostname,
      port,
      path: target,
      method,
      headers: { ...headers, ...length },
      localAddress,
      agent: false,
    };
    const request = httpRequest(options, (response) => {
      const contentType = response.headers["content-type"] ?? "";
      const status = response.statusCode ?? 0;
      const parts: Buffer[] = [];
      const finish = () => settle({ status, contentType, body: Buffer.concat(parts).toString() });
      response.on("data", (part: Buffer) => parts.push(part)).once("end", finish);
      response.on("error", reject);
      // A stream can last for minutes.
      if (!contentType.startsWith("text/event-stream")) return;
      response.destroy();
      finish();
    });
    request.on("error", reject);
    request.end(body ?? undefined);
  });
}

/** Returns a case whose message, if it is one, does not take as long as its recording. */
function atFullSpeed(one: FuzzCase): FuzzCase {
  if (one.operation.path !== messagesPath || one.target.includes("speed=")) return one;
  return { ...one, target: `${one.target}${one.target.includes("?") ? "&" : "?"}speed=max` };
}

/** Runs cases, several at a time. Returns the problems of all of them, each with the case. */
async function runCases(count: number, run: () => Promise<string[]>): Promise<string[]> {
  const problems: string[] = [];
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      problems.push(...(await run()));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return problems;
}

const problemOf = (error: unknown) => [error instanceof Error ? error.message : String(error)];

/** A refusal of a large body closes the connection before all of it is sent, and its response can be lost. */
const mayBreakByteSize = 1024 * 1024;
const brokenConnections: unknown[] = ["EPIPE", "ECONNRESET"];
const shown = (text: string) => JSON.stringify(text.slice(0, 300));

describe("the service withstands", () => {
  let declared: DeclaredOperations;
  let key: string;
  beforeAll(async () => {
    declared = new DeclaredOperations(await (await fetch(`${inject("baseUrl")}/openapi.json`)).json());
    ({ key } = await issueKey("pro"));
    // The first request of each kind loads modules, which is not what the watch looks for.
    const { key: first } = await issueKey("pro");
    // Always draws the operation's example, with the key.
    const choices = new Choices(() => 0.3);
    for (const operation of declared.operations) {
      await send(atFullSpeed(fuzzCase([operation], choices, first)), clientAddress(choices)).catch(() => undefined);
    }
  });

  it(`${caseCount - rawCaseCount} random requests to its documented operations`, { timeout }, async () => {
    const choices = new Choices(seededRandom("fuzz"));
    const sent: string[] = [];
    let sentCount = 0;
    const run = async () => {
      const one = atFullSpeed(fuzzCase(declared.operations, choices, key));
      const address = clientAddress(choices);
      const { operation, target, headers, body } = one;
      const size = body ? `${body.byteLength} bytes ${shown(body.subarray(0, 1_200).toString())}` : "";
      const text = `${operation.method} ${target} ${shown(JSON.stringify(headers))} ${size}`;
      sent.push(`${sentCount++}: ${text}`);
      if (sent.length > shownCount) sent.shift();
      const found = await send(one, address).then(
        (received) => declared.findProblems(one.operation, received),
        (error: NodeJS.ErrnoException) => {
          const isRefused = (body?.byteLength ?? 0) > mayBreakByteSize && brokenConnections.includes(error.code);
          return isRefused ? [] : problemOf(error);
        },
      );
      return found.map((problem) => `${problem}\n  ${text}`);
    };
    const server = { origin: inject("baseUrl"), pid: inject("serverPid") };
    const problems = await watchServer(
      server,
      () => sent,
      () => runCases(caseCount - rawCaseCount, run),
    );
    if (problems.length > 0) expect.fail(problems.join("\n\n"));
  });

  it("an error that a request asks for, which the OpenAPI document declares", async () => {
    const operation = declared.operations.find(({ path }) => path === "/v1/messages/count_tokens") as Operation;
    const headers = {
      "content-type": "application/json",
      "x-replay-test": "fuzz",
      "x-replay-sequence": "overloaded,429",
    };
    const one = fuzzCase([operation], new Choices(() => 0.3), key);
    for (const status of [529, 429]) {
      const received = await send({ ...one, target: operation.path, headers }, "127.66.0.1");
      expect([received.status, declared.findProblems(operation, received)]).toEqual([status, []]);
    }
  });

  it(`${rawCaseCount} connections that send random bytes`, { timeout }, async () => {
    const choices = new Choices(seededRandom("raw fuzz"));
    const problems = await runCases(rawCaseCount, async () => {
      const { name, bytes, expects, maxResponses } = rawCase(choices);
      const options = { localAddress: clientAddress(choices), closesAtOnce: expects === "incomplete" };
      const found = await sendRaw(inject("baseUrl"), bytes, options).then((text) => {
        const response = parseRawResponse(text);
        const responseCount = text.match(/HTTP\/1\.1 \d{3} /g)?.length ?? 0;
        const isSplit = maxResponses !== undefined && responseCount > maxResponses;
        const general = response ? findGeneralProblems({ ...response, contentType: "" }) : [];
        return [...general, ...(isSplit ? [`${responseCount} responses`] : [])];
      }, problemOf);
      return found.map((problem) => `${name}: ${problem}\n  ${shown(bytes)}`);
    });
    if (problems.length > 0) expect.fail(problems.join("\n\n"));
    expect((await fetch(`${inject("baseUrl")}/api/v1/health`)).status).toBe(200);
  });
});
