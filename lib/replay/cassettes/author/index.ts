export { authorCassette, writeAuthoredFile } from "./author-cassette";
export { authoredModel } from "./compose-stream";
export { scriptSchema } from "./script";
