import { afterAll, beforeAll, beforeEach } from "vitest";
import { guardedFetch, type OutboundAnswer, type OutboundOptions } from "#lib/platform/outbound/index";
import { startTestVendors, type TestVendor, type TestVendors, type VendorRequest } from "./test-vendors";
import type { VendorAnswer } from "./vendor-answers";

/** One vendor for the tests of a file, and the guard's way to it. */
export function setUpVendor() {
  let world: TestVendors;
  let vendor: TestVendor;
  beforeAll(async () => {
    world = await startTestVendors({ vendorCount: 1 });
    [vendor] = world.vendors as [TestVendor];
  });
  afterAll(() => world.close());
  beforeEach(() => world.clearRequests());

  const get = (options: OutboundOptions = {}): Promise<OutboundAnswer> =>
    guardedFetch(vendor.url, { allowedHosts: world.allowedHosts, ...options });
  return {
    vendor: (): TestVendor => vendor,
    requests: (): readonly VendorRequest[] => world.requests,
    setAnswer: (answer: VendorAnswer) => world.setAnswer(vendor.slug, answer),
    clearRequests: () => world.clearRequests(),
    get,
    /** Why there is no answer, or its status. */
    refusal: (options: OutboundOptions = {}): Promise<string> =>
      get(options).then(
        ({ status }) => `status ${status}`,
        ({ reason }) => reason,
      ),
  };
}
