import { afterAll, beforeAll, beforeEach } from "vitest";
import { guardedFetch, type OutboundAnswer, type OutboundOptions } from "#lib/platform/outbound/index";
import type { VendorAnswer } from "./vendor-answers";
import { createVendorWorld, type VendorWorld, type WorldRequest, type WorldVendor } from "./vendor-world";

/** Starts one simulated vendor for the tests of a file, which the outbound guard allows. */
export function setUpVendor() {
  let world: VendorWorld;
  let vendor: WorldVendor;
  beforeAll(async () => {
    world = await createVendorWorld({ vendorCount: 1 });
    [vendor] = world.vendors as [WorldVendor];
  });
  afterAll(() => world.close());
  beforeEach(() => world.forgetRequests());

  const get = (options: OutboundOptions = {}): Promise<OutboundAnswer> =>
    guardedFetch(vendor.url, { allowedHosts: world.allowedHosts, ...options });
  return {
    vendor: (): WorldVendor => vendor,
    requests: (): readonly WorldRequest[] => world.requests,
    play: (answer: VendorAnswer) => world.play(vendor.slug, answer),
    forgetRequests: () => world.forgetRequests(),
    get,
    /** Returns the status of the response, or the reason why there is none. */
    refusal: (options: OutboundOptions = {}): Promise<string> =>
      get(options).then(
        ({ status }) => `status ${status}`,
        ({ reason }) => reason,
      ),
  };
}
