type RunOptions = { env?: NodeJS.ProcessEnv; signal?: AbortSignal; folder?: string; timeoutMs: number };

export function runQuietly(label: string, file: string, words: readonly string[], options: RunOptions): Promise<string>;
