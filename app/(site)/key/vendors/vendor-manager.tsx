"use client";

import type { ReactNode } from "react";
import type { SendRequest } from "../api-request";
import { ListSection, ProOnly } from "../list-section";
import { AddVendor } from "./add-vendor";
import type { CustomVendors } from "./types";
import { VendorItem } from "./vendor-item";

type Props = {
  sendRequest: SendRequest;
  tier: string;
  categories: readonly string[];
  /** Says that vendors are not fetched on this server; false if they are. */
  fetchingNotice: ReactNode;
};

const heading = { id: "vendors", title: "Your vendors" };

/** The vendors of the key's account, from Pro on. Lower tiers see which tier they need. */
export function VendorManager({ sendRequest, tier, categories, fetchingNotice }: Props) {
  if (tier !== "pro") {
    return (
      <ProOnly {...heading} notice="Vendors of your own are part of Pro.">
        Track any public llms.txt or text page for your account alone.
      </ProOnly>
    );
  }
  return (
    <ListSection<CustomVendors>
      {...heading}
      lead="Only the keys of your account see these vendors."
      noun="vendors"
      path="/api/v1/vendors/custom"
      sendRequest={sendRequest}
      describeCount={({ count, limit }) => `${count} of ${limit} vendors`}
      renderItems={({ vendors }, reload) =>
        vendors.map((vendor) => (
          <VendorItem
            key={vendor.slug}
            vendor={vendor}
            isFetched={!fetchingNotice}
            sendRequest={sendRequest}
            onChanged={reload}
          />
        ))
      }
      renderForm={(reload) => (
        <>
          {fetchingNotice}
          <AddVendor sendRequest={sendRequest} categories={categories} onAdded={reload} />
        </>
      )}
    />
  );
}
