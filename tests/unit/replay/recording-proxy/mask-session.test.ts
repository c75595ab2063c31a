import { expect, test } from "vitest";
import { maskSession, messageReader } from "#lib/replay/recording-proxy/web-sockets/mask-session";
import { encodeMessage, readSteps, stepLine } from "#lib/replay/recording-proxy/web-sockets/messages";

const upgraded = { method: "GET", path: "/v1/realtime", query: "", headers: {} };
const options = { secrets: [], allowed: [] };
const bytes = Buffer.from('\xff{"password":"swordfish"}', "latin1");
const masked = Buffer.from(bytes.toString("latin1").replace("swordfish", "*********"), "latin1");

test("a password in a message of bytes is masked if the client sent it, and stays if the server did", () => {
  const message = encodeMessage(bytes, true);
  const chunks = [{ deltaMs: 0, bytes: stepLine(0, bytes, true) }];
  const answer = { status: 101, headers: {}, chunks };
  const session = maskSession({ messages: [message], answer }, upgraded, options);
  expect(session.messages).toEqual([encodeMessage(masked, true)]);
  expect(session.redactions).toMatchObject([{ place: "/websocket/0", rule: "password" }]);
  expect(readSteps(session.answer.chunks)).toMatchObject([{ data: bytes }]);
  expect(messageReader(upgraded, options)(message)).toEqual(encodeMessage(masked, true));
});
