export function findBundle(): string | undefined;
export function writeBundle(): Promise<void>;
/** Where bundles are kept: as deep below the package as this file is. */
export const cacheFolder: string;
/** Writes an entry of the package and all it imports as JavaScript into a new folder, at once or not at all. */
export function bundleProgram(entry: string, folder: string): Promise<void>;
