export { type AuthoredFile, authorCassette, type ReadScript, writeAuthoredFile } from "./author-cassette";
export { authoredModel } from "./compose-stream";
export { type Script, ScriptError, scriptSchema } from "./script";
