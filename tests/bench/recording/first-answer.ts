/**
 * Starts a proxy on a folder of tapes and asks for one answer; prints how long that took, in milliseconds, as JSON.
 * Arguments: the folder, the test, and the body of the request.
 */
import { RecordingProxy, readConfig } from "#lib/replay/recording-proxy/index";

const [tapes = "", test = "", body = ""] = process.argv.slice(2);
const loadedMs = performance.now();
const config = { ...(await readConfig("/nonexistent")), tapes };
const proxy = await RecordingProxy.start({ config, mode: "replay", environment: {} });
const response = await fetch(`${proxy.baseUrl(test, "openai")}/chat/completions`, { method: "POST", body });
const text = await response.text();
if (response.status !== 200) throw new Error(text);
const answeredMs = performance.now();
// What `--complete` looks at.
await proxy.unopenedTapes();
const listedMs = performance.now();
await proxy.stop();
const times = { loadMs: loadedMs, answerMs: answeredMs - loadedMs, completeMs: listedMs - answeredMs };
console.log(JSON.stringify(times));
