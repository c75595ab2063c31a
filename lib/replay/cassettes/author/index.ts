export { authorCassette } from "./author-cassette";
export { authoredModel } from "./compose-stream";
export { ScriptError } from "./script-error";
export { authoredMark, type Script, scriptSchema } from "./script-schema";
export { type AuthoredFile, writeAuthoredFile } from "./write-authored-file";
