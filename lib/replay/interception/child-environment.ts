import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { isIPv6 } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { rootCertificates } from "node:tls";
import { fileURLToPath } from "node:url";
import { packageRoot } from "#lib/platform/database/paths";
import { javaTrustStore, trustStorePassword } from "./java-trust-store";
import { writeNodeCommand } from "./node-command";

type Environment = Readonly<Record<string, string | undefined>>;

/** Folder of the files that are loaded into processes: beside this code, or where the package or a bundle has them. */
function hooksFolder(): string {
  const beside = fileURLToPath(new URL("./hooks", import.meta.url));
  return existsSync(beside) ? beside : join(packageRoot, "lib/replay/interception/hooks");
}

/** Makes the fetch of this process take an abort after the end of a played answer has come, as that of a run's processes does. */
export function holdEnds(): void {
  createRequire(import.meta.url)(join(hooksFolder(), "hold-ends.cjs"));
}

/** Hosts on this machine, whose connections never pass through the proxy. */
const ownHosts = ["localhost", "127.0.0.1", "::1"];

/** Names of this machine in URLs. */
export const localHost = /^(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?=:|$)/;

/** Returns a host, with one name for this machine in place of any. */
export function localName(host: string): string {
  return host.replace(localHost, "localhost");
}

/** Where Ollama listens; its clients need no variable to find it. */
const defaultLocalPlaces = ["localhost:11434"];

export type ChildSetting = {
  /** URL of the proxy. */
  origin: string;
  /** Certificate of the run's authority, in PEM. */
  certificate: string;
  /** Variables with base URLs. Processes that are intercepted do without those that the user has not set. */
  baseUrls: Readonly<Record<string, string>>;
  /** Hosts that are recorded or on tapes; those on this machine, such as `localhost:8080`, are intercepted too. */
  hosts: readonly string[];
};

export type RunNotes = {
  /** Ports of servers on this machine that were asked without the proxy, and that no process serves. */
  passedPorts: number[];
  /** The runner of tasks that was started and may answer them from its cache. */
  taskRunner: TaskRunner | undefined;
  /** Whether it starts tasks without the variables of the run. */
  isStrict: boolean;
  /** Commands that start others without the variables of the run. */
  cleanedBy: string[];
  /** Whether workerd was started, whose requests are not intercepted. */
  hasWorkerd: boolean;
};

/** Runners of tasks with a cache. */
export const taskRunners = ["turbo", "nx"] as const;
export type TaskRunner = (typeof taskRunners)[number];

export type InterceptedEnvironment = {
  /** The environment of a run's processes. */
  variables: Record<string, string>;
  /** Returns what processes of Node.js noted. */
  readNotes: () => Promise<RunNotes>;
  /** Removes the folder with the certificates. */
  remove: () => Promise<void>;
};

/** Returns the PEM of the authorities that clients trust by a variable, or of Node's own. */
async function trustedPem(file: string | undefined): Promise<string> {
  const given = file ? await readFile(file, "utf8").catch(() => null) : null;
  return given ?? rootCertificates.join("\n");
}

function quoted(path: string): string {
  return `"${path.replace(/[\\"]/g, "\\$&")}"`;
}

/** Returns an entry of NO_PROXY, which stands for a host and those below it, as Java has it, which compares no ports. */
function javaHost(entry: string): string {
  const place = entry.trim();
  if (isIPv6(place)) return `[${place}]`;
  const name = place.replace(/^\*?\./, "").replace(/:\d+$/, "");
  return name === "*" ? name : `${name}|*.${name}`;
}

/**
 * Writes the certificates of a run, and returns the variables that lead the requests of any client to its proxy. What the
 * environment has there already is kept and extended.
 */
export async function interceptedEnvironment(
  environment: Environment,
  { origin, certificate, baseUrls, hosts }: ChildSetting,
): Promise<InterceptedEnvironment> {
  const folder = await mkdtemp(join(tmpdir(), "tapedeck-run-"));
  const write = async (name: string, content: string | Uint8Array) => {
    const file = join(folder, name);
    await writeFile(file, content);
    return file;
  };
  const hooks = hooksFolder();
  const register = join(hooks, "register.cjs");
  const extra = environment.NODE_EXTRA_CA_CERTS ? await trustedPem(environment.NODE_EXTRA_CA_CERTS) : "";
  const authority = await write("authority.pem", certificate);
  const nodeExtra = extra === "" ? authority : await write("node-extra.pem", `${extra}\n${certificate}`);
  const bundles = [
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "AWS_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "DENO_CERT",
  ];
  const allTrusted = `${await trustedPem(undefined)}\n${extra}\n${certificate}`;
  const bundle = await write("bundle.pem", allTrusted);
  const trustStore = await write("trusted.jks", javaTrustStore(allTrusted));
  await write("php.ini", `curl.cainfo=${quoted(bundle)}\nopenssl.cafile=${quoted(bundle)}\n`);
  const files = await Promise.all(
    bundles.map(async (name) => {
      const own = environment[name];
      if (!own) return [name, bundle] as const;
      return [name, await write(`${name.toLowerCase()}.pem`, `${await trustedPem(own)}\n${certificate}`)] as const;
    }),
  );
  const notes = join(folder, "notes.txt");
  const untouched = environment.NO_PROXY ?? environment.no_proxy ?? "";
  const noProxy = [...new Set([...untouched.split(",").filter(Boolean), ...ownHosts])].join(",");
  const local = hosts
    .filter((host) => localHost.test(host))
    .map((host) => (/:\d+$/.test(host) ? localName(host) : "localhost:80"));
  const extended = (name: string, added: string, separator = " ") => ({
    [name]: [environment[name], added].filter(Boolean).join(separator),
  });
  const { hostname, port } = new URL(origin);
  const javaProperties = {
    ...{ "http.proxyHost": hostname, "http.proxyPort": port, "https.proxyHost": hostname, "https.proxyPort": port },
    "http.nonProxyHosts": noProxy.split(",").map(javaHost).join("|"),
    "javax.net.ssl.trustStore": trustStore,
    "javax.net.ssl.trustStoreType": "JKS",
    // That of another store would not fit this one, and this one's not a store that a command line names.
    ...(/trustStorePassword/.test(environment.JAVA_TOOL_OPTIONS ?? "") && {
      "javax.net.ssl.trustStorePassword": trustStorePassword,
    }),
  };
  const javaOptions = Object.entries(javaProperties).map(([name, value]) => quoted(`-D${name}=${value}`));
  const carried = {
    TAPEDECK_BASE_URLS: Object.keys(baseUrls)
      .filter((name) => !environment[name])
      .join(","),
    HTTP_PROXY: origin,
    HTTPS_PROXY: origin,
    http_proxy: origin,
    https_proxy: origin,
    NO_PROXY: noProxy,
    no_proxy: noProxy,
    NODE_EXTRA_CA_CERTS: nodeExtra,
    ...Object.fromEntries(files),
    ...extended("NODE_OPTIONS", `--require ${quoted(register)}`),
    ...extended("BUN_OPTIONS", quoted(`--preload=${register}`)),
    PYTHONPATH: [hooks, environment.PYTHONPATH].filter(Boolean).join(delimiter),
    ...extended("JAVA_TOOL_OPTIONS", javaOptions.join(" ")),
    // A daemon of Gradle would keep the proxy of this run.
    ...extended("GRADLE_OPTS", "-Dorg.gradle.daemon=false"),
    // Turborepo would start tasks without the variables of the proxy, and with NODE_OPTIONS.
    TURBO_ENV_MODE: environment.TURBO_ENV_MODE || "loose",
    // What comes before the first separator is PHP's own folder.
    PHP_INI_SCAN_DIR: [environment.PHP_INI_SCAN_DIR, folder].join(delimiter),
    TAPEDECK_PROXY: origin,
    TAPEDECK_CA: authority,
    TAPEDECK_BUNDLE: bundle,
    TAPEDECK_LOCAL: [...defaultLocalPlaces, ...local].join(","),
    TAPEDECK_HOSTS: hosts.filter((host) => !localHost.test(host)).join(","),
    TAPEDECK_NOTES: notes,
  };
  const names = [...Object.keys(carried), "TAPEDECK_VARIABLES", "TAPEDECK_TOKEN", "TAPEDECK_FOLDER"];
  const all = { ...carried, TAPEDECK_VARIABLES: names.join(",") };
  const variables: Record<string, string> = { ...baseUrls, ...all };
  const { PATH } = environment;
  if (PATH && process.platform !== "win32")
    variables.PATH = [await writeNodeCommand(folder, { register, variables: all }), PATH].join(delimiter);
  const readNotes = async () => {
    const noted = new Set((await readFile(notes, "utf8").catch(() => "")).split("\n"));
    const asked = [...noted].flatMap((line) => /^asks (\d+)$/.exec(line)?.[1] ?? []);
    return {
      passedPorts: asked.filter((each) => each !== port && !noted.has(`serves ${each}`)).map(Number),
      taskRunner: taskRunners.find((runner) => noted.has(`runs ${runner}`)),
      isStrict: noted.has("strict turbo"),
      cleanedBy: [...noted].flatMap((line) => /^cleans (.*)$/.exec(line)?.[1] ?? []),
      hasWorkerd: noted.has("starts workerd"),
    };
  };
  return { variables, readNotes, remove: () => rm(folder, { recursive: true, force: true }) };
}
