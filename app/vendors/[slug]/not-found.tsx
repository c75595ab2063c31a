import { NotFoundContent } from "../../_components/load-failure";
import { OwnerView } from "../_components/owner-view";

/** Shown after navigation within the site, where a page cannot set the status of its response. */
export default function VendorNotFound() {
  return (
    <OwnerView>
      <NotFoundContent />
    </OwnerView>
  );
}
