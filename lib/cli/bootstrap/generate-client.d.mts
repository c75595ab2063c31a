export function generateClient(options?: { signal?: AbortSignal }): Promise<void>;
