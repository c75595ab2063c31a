import { readFile, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LoopbackServer, readBody, sendJson } from "#tests/support/loopback-server";
import { findPythonProblem, titled } from "#tests/support/python-package";
import { runCommand } from "#tests/support/run-cli";
import { temporaryFolder } from "#tests/support/temporary-folder";

class Everything extends LoopbackServer {
  protected async handle(request: IncomingMessage, response: ServerResponse) {
    await readBody(request);
    sendJson(response, 200, { from: `${request.headers.host}${request.url}` });
  }
}

/** Asks by connections that know no proxy; prints what each one got. */
const program = `
import asyncio, http.client, json, os, socket, ssl, subprocess, sys, urllib.request

for name in [name for name in os.environ if name.lower().endswith("_proxy") or "CERT" in name or "BUNDLE" in name]:
    if name.startswith("TAPEDECK_") or name.lower() == "no_proxy":
        continue
    del os.environ[name]

def ask(connection, path):
    connection.request("POST", path, json.dumps({"model": path, "messages": [{"role": "user", "content": "hi"}]}))
    print(json.loads(connection.getresponse().read())["from"])
    connection.close()

def text_of(path):
    return b"POST %s HTTP/1.1\\r\\nhost: api.openai.com\\r\\nconnection: close\\r\\ncontent-length: 2\\r\\n\\r\\n{}" % path

context = ssl.create_default_context()
ask(http.client.HTTPSConnection("api.openai.com"), "/v1/https")
ask(http.client.HTTPConnection("api.openai.com"), "/v1/http")
ask(http.client.HTTPConnection("gateway.example.com", 8080), "/any-port")
ask(http.client.HTTPConnection("127.0.0.1", int(sys.argv[1])), "/this-machine")

secure = context.wrap_socket(socket.socket(), server_hostname="api.openai.com")
secure.connect(("api.openai.com", 443))
secure.sendall(text_of(b"/v1/secure-first"))
print(secure.recv(9999).split(b" ")[1].decode(), "secure first")

# The address of a host whose name was looked up in another way; TLS tells the name.
found = context.wrap_socket(socket.create_connection(("203.0.113.9", 443)), server_hostname="api.openai.com")
found.sendall(text_of(b"/v1/address"))
print(found.recv(9999).split(b" ")[1].decode(), "address")

async def stream():
    reader, writer = await asyncio.open_connection("api.openai.com", 443, ssl=ssl.create_default_context())
    writer.write(text_of(b"/v1/asyncio"))
    print((await reader.read()).split(b" ")[1].decode(), "asyncio")
    writer.close()

asyncio.run(stream())
try:
    http.client.HTTPConnection("untouched.invalid").connect()
except socket.gaierror:
    print("looked up")

def fails(call, *args, **options):
    try:
        call(*args, **options)
        return False
    except socket.gaierror:
        return True

# What the proxy does not carry gets no address that stands for a name, or is led to the real one.
name = "elsewhere.test"
assert fails(socket.getaddrinfo, name, 443, flags=socket.AI_NUMERICHOST)
assert fails(socket.getaddrinfo, name, 443, type=socket.SOCK_DGRAM)
assert fails(socket.create_connection, (socket.getaddrinfo(name, 443)[0][4][0], 8081))
assert fails(socket.create_connection, ("database.gateway.test", 5432))
assert fails(socket.create_connection, ("a\\r\\nb", 443))

# A process that outlives the run.
subprocess.run([sys.executable, "-c", "import ssl"], env={**os.environ, "TAPEDECK_CA": "none.pem"}, check=True)
`;

const problem = findPythonProblem();

it.runIf(problem === "")(titled("connections of Python that read no variables are intercepted", problem), async () => {
  const folder = temporaryFolder();
  const [server, local] = [await new Everything().start(), await new Everything().start()];
  const names = ["api.openai.com", "gateway.example.com:8080"];
  const addresses = Object.fromEntries(names.map((host) => [host, server.origin]));
  const hosts = ["gateway.example.com:8080", "*.gateway.test", local.host];
  await writeFile(join(folder, "tapedeck.config.json"), JSON.stringify({ addresses, hosts }));
  await writeFile(join(folder, "ask.py"), program);
  const run = async (mode: string) => {
    const command = ["sh", "-c", `python3 ask.py ${local.port} > ${mode}.txt`];
    const environment = { CI: undefined, NO_PROXY: "*.invalid" };
    return runCommand(["run", "--mode", mode, "--strict", "--", ...command], { cwd: folder, environment });
  };

  const printed = (mode: string) => readFile(join(folder, `${mode}.txt`), "utf8");
  const recorded = await run("auto");
  expect(recorded).toMatchObject({ code: 0, stderr: expect.stringContaining("7 recorded, 0 missed") });
  expect((await printed("auto")).trim().split("\n")).toEqual([
    "api.openai.com/v1/https",
    "api.openai.com/v1/http",
    "gateway.example.com:8080/any-port",
    `${local.host}/this-machine`,
    "200 secure first",
    "200 address",
    "200 asyncio",
    "looked up",
  ]);
  await Promise.all([server.close(), local.close()]);
  const replayed = await run("replay");
  expect(replayed).toMatchObject({ code: 0, stderr: expect.stringContaining("7 played, 0 recorded, 0 missed") });
  expect(await printed("replay")).toBe(await printed("auto"));
});
