/** What pages load in browsers to play a file that is not sent anywhere. */

export { ImportError } from "./import/capture";
export {
  evenPaceMs,
  type FileContent,
  maxOpenByteSize,
  type OpenedFile,
  openFile,
} from "./import/open-file";
export type { HarAnswer } from "./import/read-har";
