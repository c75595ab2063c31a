import type { ReactNode } from "react";
import { OwnerViewProvider } from "../_components/owner-view";
import { renderForOwner } from "../_components/render-for-owner";

export default function VendorLayout({ children }: { children: ReactNode }) {
  return <OwnerViewProvider render={renderForOwner}>{children}</OwnerViewProvider>;
}
