import type { ProcessIdentity } from "./identity.mjs";

export type LockDetails = Record<string, unknown>;
export type LockHolder = ProcessIdentity & LockDetails;
export type LockAttempt =
  | { release: () => void; holder?: undefined }
  | { release?: undefined; holder: LockHolder | undefined };

export function tryFileLock(file: string, details?: LockDetails): LockAttempt;
export function takeFileLock(
  file: string,
  options: { timeoutMs: number; signal?: AbortSignal; details?: LockDetails },
): Promise<LockAttempt>;
