import { afterAll, beforeAll, beforeEach } from "vitest";
import { guardedFetch, type OutboundAnswer, type OutboundOptions } from "#lib/platform/outbound/index";
import { startTestVendors, type TestVendor, type TestVendors, type VendorRequest } from "./test-vendors";
import type { VendorAnswer } from "./vendor-answers";

/** Starts one simulated vendor for the tests of a file, which the outbound guard allows. */
export function setUpVendor() {
  let testVendors: TestVendors;
  let vendor: TestVendor;
  beforeAll(async () => {
    testVendors = await startTestVendors({ vendorCount: 1 });
    [vendor] = testVendors.vendors as [TestVendor];
  });
  afterAll(() => testVendors.close());
  beforeEach(() => testVendors.clearRequests());

  const get = (options: OutboundOptions = {}): Promise<OutboundAnswer> =>
    guardedFetch(vendor.url, { allowedHosts: testVendors.allowedHosts, ...options });
  return {
    vendor: (): TestVendor => vendor,
    requests: (): readonly VendorRequest[] => testVendors.requests,
    setAnswer: (answer: VendorAnswer) => testVendors.setAnswer(vendor.slug, answer),
    clearRequests: () => testVendors.clearRequests(),
    get,
    /** Returns the status of the response, or the reason why there is none. */
    refusal: (options: OutboundOptions = {}): Promise<string> =>
      get(options).then(
        ({ status }) => `status ${status}`,
        ({ reason }) => reason,
      ),
  };
}
