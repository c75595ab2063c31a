import type { ComponentProps } from "react";
import { LoadFailure } from "../../_components/load-failure";
import { OwnerView } from "./owner-view";

/** What a page of a vendor shows whose data could not be loaded, except to the vendor's owner. */
export function VendorFailure(props: ComponentProps<typeof LoadFailure>) {
  const failure = <LoadFailure {...props} />;
  return props.error.code === "not_found" ? <OwnerView>{failure}</OwnerView> : failure;
}
