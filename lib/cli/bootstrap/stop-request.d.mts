export function stopRequest(): { signal: AbortSignal };
