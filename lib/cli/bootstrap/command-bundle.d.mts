export function findBundle(): string | undefined;
export function writeBundle(): Promise<void>;
