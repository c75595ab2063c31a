import { readFile } from "node:fs/promises";
import { type IncomingHttpHeaders, request } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect, it } from "vitest";
import type { Cassette } from "#lib/replay/cassettes/index";
import type { Mode } from "#lib/replay/recording-proxy/index";
import { readRequest } from "#lib/replay/recording-proxy/read-request";
import type { Answer } from "#tests/support/provider-double";
import { runCommand } from "#tests/support/run-cli";
import { setUpProxy } from "#tests/support/tape-proxy";

const tapes = setUpProxy();
const host = "store.example";

type Got = { status: number; headers: IncomingHttpHeaders; text: string };
type Asked = { method?: string; headers?: Record<string, string>; body?: string | Buffer };

/** Asks the store through the proxy, as clients do that know a proxy for plain HTTP. */
function ask(path: string, { method = "GET", headers = {}, body }: Asked = {}): Promise<Got> {
  const { hostname, port } = new URL(tapes.proxy.origin);
  return new Promise((resolve, reject) => {
    const options = { hostname, port, method, path: `http://${host}${path}`, headers: { host, ...headers } };
    const sent = request(options, (response) => {
      const { statusCode: status = 0, headers: received } = response;
      buffer(response).then((bytes) => resolve({ status, headers: received, text: bytes.toString("latin1") }), reject);
    });
    sent.on("error", reject).end(body);
  });
}

const start = (mode: Mode, change = {}) =>
  tapes.start(mode, { hosts: [host], addresses: { [host]: tapes.server.origin }, ...change });

async function serve(answer: Answer): Promise<void> {
  await tapes.serve(answer);
  await start("auto");
}

async function replay(change = {}): Promise<void> {
  await tapes.proxy.stop();
  await start("replay", change);
}

const readText = (file: string) => readFile(join(tapes.folder, "tapes/default", file), "utf8");
const readStored = async (file: string) => JSON.parse(await readText(file)) as Cassette;

const object = Array.from({ length: 30 }, (_, index) => String.fromCharCode(97 + (index % 26))).join("");

it("ranges of an object get their own bytes in any order, and one that was not recorded is a miss that names it", async () => {
  await serve((response, { headers }) => {
    const [, from = "0", to = "29"] = /^bytes=(\d+)-(\d+)$/.exec(String(headers.range)) ?? [];
    response.writeHead(headers.range ? 206 : 200).end(object.slice(Number(from), Number(to) + 1));
  });
  const ranges = ["bytes=0-9", "bytes=10-19", "bytes=20-29"];
  const askRange = (range: string) => ask("/object", { headers: { range } });
  for (const range of ranges) await askRange(range);
  expect((await readStored("002.cassette.json")).request.headers).toEqual({ range: "bytes=10-19" });
  for (const place of ["/a", "/b", "/c"]) await ask(place);
  const show = (...args: string[]) => runCommand(["show", ...args], { cwd: tapes.folder });
  expect((await show("default")).stdout).toContain("002.cassette.json  GET /object  bytes=10-19  206\n");
  expect((await show()).stdout).toContain("6 files  GET /object (3), GET /a, GET /b and 1 more  today");
  await replay();
  const played = await Promise.all(ranges.toReversed().map(askRange));
  expect(played.map(({ text }) => text)).toEqual([object.slice(20), object.slice(10, 20), object.slice(0, 10)]);
  await replay();
  expect(await askRange("bytes=5-9")).toMatchObject({ status: 424, text: expect.stringContaining("/headers/range") });
  const whole = await ask("/object");
  expect(whole).toMatchObject({ status: 424, text: expect.stringContaining("/headers/range is missing; it was") });
  await replay({ volatile: ["/headers/range"] });
  expect(await ask("/object")).toMatchObject({ status: 206, text: object.slice(0, 10) });
});

it("a recording without a condition does not answer a request with one", async () => {
  await serve((response, { headers }) => {
    response
      .writeHead(headers["if-none-match"] ? 304 : 200, { etag: '"1"' })
      .end(headers["if-none-match"] ? "" : "all");
  });
  await ask("/object");
  expect((await readStored("001.cassette.json")).request).not.toHaveProperty("headers");
  await replay();
  const missed = await ask("/object", { headers: { "if-none-match": '"1"' } });
  expect(missed).toMatchObject({ status: 424, text: expect.stringContaining("/headers/if-none-match is new") });
});

const signedUrls = (at: Date, signature: string) => {
  const basic = `${at.toISOString().replace(/[-:]|\.\d+/g, "")}`;
  return {
    s3: `/obj/s3?X-Amz-Credential=AKIA${signature}&X-Amz-Date=${basic}&X-Amz-Expires=900&X-Amz-Signature=${signature}`,
    azure: `/obj/az?sv=2025-01-05&se=${encodeURIComponent(at.toISOString())}&sig=${signature}`,
    gcs: `/obj/gcs?GoogleAccessId=a%40example.com&Expires=${at.getTime() / 1000}&Signature=${signature}`,
  };
};

it("a presigned URL is matched without its time, and stored without its signature", async () => {
  await serve((response, { path }) => void response.end(path.split("?")[0]));
  const signature = "c2lnbmVkLWJ5LXRoZS1zdG9yZQ";
  const first = Object.values(signedUrls(new Date(1_795_788_000_000), signature));
  for (const url of first) await ask(url);
  for (const number of [1, 2, 3])
    expect(await readText(`00${number}.cassette.json`)).not.toMatch(new RegExp(`${signature}|a%40example`));
  await replay();
  const later = signedUrls(new Date(1_795_789_000_000), "b3RoZXI");
  for (const url of Object.values(later)) expect(await ask(url)).toMatchObject({ text: url.split("?")[0] });
  expect(await ask(later.s3.replace("=900", "=60"))).toMatchObject({
    text: expect.stringMatching(/001\.cassette\.json:[^/]*\/query\/X-Amz-Expires [^/]*$/),
  });
  await replay({ volatile: ["/query/X-Amz-Expires"] });
  expect(await ask(later.s3.replace("=900", "=60"))).toMatchObject({ status: 200 });
});

it("the nearest recording of a miss is one of its path", async () => {
  await serve((response) => void response.end());
  await ask("/obj/az?part=1");
  await ask("/obj/gcs?kind=media&size=small");
  await replay();
  const { text } = await ask("/obj/gcs?part=1");
  expect(text).toContain("The nearest recording is 002.cassette.json");
});

it("the length of an object is that of the store, of HEAD too, while it is recorded and when it is played", async () => {
  await serve((response, { method, path }) => {
    if (path === "/streamed") return void response.write("in ", () => response.end("pieces"));
    response.writeHead(200, { "content-length": "30" }).end(method === "HEAD" ? undefined : object);
  });
  const askAll = async () => {
    const got = [await ask("/object", { method: "HEAD" }), await ask("/object"), await ask("/streamed")];
    return got.map(({ headers, text }) => [headers["content-length"], text]);
  };
  const expected = [
    ["30", ""],
    ["30", object],
    [undefined, "in pieces"],
  ];
  expect(await askAll()).toEqual(expected);
  await replay();
  expect(await askAll()).toEqual(expected);
  const session = await tapes.proxy.begin("default", { faults: [{ call: 1, afterEvent: 0, do: "cut" }] });
  await expect(ask("/object")).rejects.toThrow("aborted");
  expect(session.report().notes).toEqual([]);
});

it("a redirect leads on when it is played, and neither it nor its page has what signed its URL", async () => {
  const signature = encodeURIComponent("c2lnbmVk+LWJ5/LXRoZS1zdG9yZQ==");
  const location = `http://${host}/signed?X-Oss-Date=20261127T210253Z&X-Oss-Signature=${signature}&name=a%20b#top`;
  await serve((response, { path }) => {
    if (path === "/moved") response.writeHead(302, { location }).end(`<a href="${location}">`);
    else if (path === "/secure") response.writeHead(301, { location: `https://${host}/secure` }).end();
    else response.end(path.split("?")[0]);
  });
  const follow = async () => {
    const { status, headers } = await ask("/moved");
    const next = new URL(String(headers.location));
    return { status, hash: next.hash, text: (await ask(`${next.pathname}${next.search}`)).text };
  };
  const expected = { status: 302, hash: "#top", text: "/signed" };
  expect(await follow()).toEqual(expected);
  expect(await ask("/secure")).toMatchObject({ status: 301 });
  const [report] = await tapes.proxy.stop();
  expect(report).toMatchObject({ recorded: 2, notes: [expect.stringContaining("configure the final URL")] });
  for (const file of ["001.cassette.json", "002.cassette.json"]) expect(await readText(file)).not.toContain(signature);
  expect((await readStored("001.cassette.json")).response.headers.location).toBe(
    `http://${host}/signed?X-Oss-Date=20261127T210253Z&X-Oss-Signature=********&name=a+b#top`,
  );
  await start("replay");
  expect(await follow()).toEqual(expected);
});

it("a redirect keeps the form of a URL without secrets, and hides those in its last parameter and its fragment", async () => {
  const [signature, token] = ["c2lnbmVk+LWJ5LXRoZS1zdG9yZQ", "0a1B2c3D4e5F6g7H8i9J0k"];
  const signed = `/signed?X-Oss-Signature=${signature}#access_token=${token}&state=1`;
  await serve((response, { path }) => {
    const location = path === "/moved" ? "/list?of=a,b c&flag#/top?x" : signed;
    response.writeHead(302, { location: location.replace(" ", "%20") }).end(`<a>${signature}</a><a>${token}</a>`);
  });
  await ask("/moved");
  expect((await readStored("001.cassette.json")).response.headers.location).toBe("/list?of=a,b%20c&flag#/top?x");
  await ask("/login");
  expect(await readText("002.cassette.json")).not.toMatch(new RegExp(`${signature.replace("+", ".")}|${token}`));
});

it("what signs a long URL of a redirect is left out before the URL is cut", async () => {
  await serve((response) => {
    response.writeHead(302, { location: `/signed?X-Amz-Security-Token=${"aB3".repeat(900)}&name=a` }).end();
  });
  await ask("/moved");
  expect((await readStored("001.cassette.json")).response.headers.location).toBe(
    "/signed?X-Amz-Security-Token=********&name=a",
  );
});

it("a parameter of a query is masked if its name says that it is a credential", async () => {
  const secret = "glx7Tq92LmPz";
  await serve((response) => void response.end("sunny"));
  await ask(`/projects?private_token=1&api_token=${secret}&page=2`);
  const { request } = await readStored("001.cassette.json");
  expect(request.query).toBe(`private_token=1&api_token=${"*".repeat(secret.length)}&page=2`);
  expect(request.redactions.map(({ place }) => place)).toEqual(["/query/api_token"]);
  await replay();
  expect(await ask(`/projects?private_token=1&api_token=${secret}&page=2`)).toMatchObject({ text: "sunny" });
});

it("a secret is masked in a path that has it percent-encoded", async () => {
  const secret = "x8K+q2/mZ7=";
  await tapes.serve((response) => void response.end("sunny"));
  await start("auto", { redact: [secret] });
  await ask(`/of/${encodeURIComponent(secret)}/all`);
  expect((await readStored("001.cassette.json")).request.path).toMatch(/^\/of\/\*+\/all$/);
});

it("a text is masked in a form, however it is encoded there", () => {
  const [path, query] = ["/of", ""];
  const request = { method: "POST", path, query, headers: {}, body: Buffer.from("a=Jane+Example&b=Jane%20Example") };
  expect(readRequest(request, ["Jane Example"]).asked.body).toEqual({ s: `a=${"*".repeat(12)}&b=${"*".repeat(14)}` });
});

it("a secret in a path and a query is stored and compared masked", async () => {
  const [secret, token] = ["weather-8Kq2mZ7x", "123456789:AAE5d8h1kQ2wX7yZ9bN4cV6mL3pR0tUaSjg"];
  await tapes.serve((response) => void response.end("sunny"));
  const text = `/bot${token}/send?appid=${secret}`;
  await start("auto", { redact: [secret] });
  await ask(text);
  const { request } = await readStored("001.cassette.json");
  expect(request).toMatchObject({ path: `/bot${"*".repeat(token.length)}/send`, query: `appid=${"*".repeat(16)}` });
  expect(request.redactions.map(({ place }) => place)).toEqual(["/path", "/query/appid"]);
  await tapes.proxy.stop();
  await start("replay", { redact: [secret] });
  expect(await ask(text)).toMatchObject({ text: "sunny" });
});
