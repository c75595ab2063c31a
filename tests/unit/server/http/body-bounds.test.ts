import { describe, expect, it } from "vitest";
import { bodyBounds, takeLargeBody } from "#lib/server/http/client-bounds";

const mebibyte = 1024 * 1024;
const endpoint = { rawBodyByteSize: 32 * mebibyte };

/** Takes bodies of a size, each of another network, until one is refused. Returns how many were taken, and frees them. */
function takeUntilRefused(byteSize: number | null, addressOf = (index: number) => `192.0.${index}.1`): number {
  const taken: (() => void)[] = [];
  try {
    for (;;) {
      const address = addressOf(taken.length);
      taken.push(takeLargeBody(endpoint, byteSize === null ? null : String(byteSize), () => address));
    }
  } catch (error) {
    expect(error).toMatchObject({ code: "service_unavailable", headers: { "Retry-After": "1" } });
    return taken.length;
  } finally {
    for (const free of taken) free();
  }
}

describe("bodies that are read at the same time", () => {
  it("are bounded by their bytes, over all clients, and free them", () => {
    for (let round = 0; round < 2; round += 1) {
      expect(takeUntilRefused(32 * mebibyte)).toBe(bodyBounds.maxTotalByteSize / (32 * mebibyte));
      expect(takeUntilRefused(mebibyte / 2, () => "192.0.2.1")).toBe(bodyBounds.maxTotalByteSize / (mebibyte / 2));
    }
  });

  it("of an unknown size count as the largest", () => {
    expect(takeUntilRefused(null)).toBe(bodyBounds.maxTotalByteSize / endpoint.rawBodyByteSize);
  });

  it("are few of a network if they are large", () => {
    expect(takeUntilRefused(2 * mebibyte)).toBe(bodyBounds.max);
    expect(takeUntilRefused(2 * mebibyte, () => "192.0.2.1")).toBe(bodyBounds.maxPerNetwork);
  });

  it("do not count where they are small, or where an endpoint takes none", () => {
    const free = takeLargeBody(endpoint, String(bodyBounds.minByteSize), () => null);
    takeLargeBody({}, String(64 * mebibyte), () => null);
    expect(takeUntilRefused(32 * mebibyte)).toBe(4);
    free();
  });
});
