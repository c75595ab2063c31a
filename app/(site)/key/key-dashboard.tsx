"use client";

import { type ReactNode, useCallback, useState } from "react";
import { Button } from "../../_components/button";
import { Notice } from "../../_components/notice";
import { type ApiRequestOptions, sendApiRequest, type Usage } from "./api-request";
import { DigestManager } from "./digests/digest-manager";
import styles from "./key.module.css";
import { KeyForm } from "./key-form";
import { KeyRotation } from "./key-rotation";
import { PaymentPortal } from "./payment-portal";
import { type PreviousKey, PreviousKeys } from "./previous-keys";
import { storeKey, useStoredKey } from "./stored-key";
import { type TierName, UsageSummary } from "./usage-summary";
import { VendorManager } from "./vendors/vendor-manager";
import { WebhookManager } from "./webhooks/webhook-manager";

type KeyDetail = { tier: "free" | "starter" | "pro"; previous_keys: PreviousKey[] };
type CheckState =
  | { status: "idle" | "checking" }
  | { status: "failed"; message: string }
  | { status: "valid"; tier: string };

/** Describes the key; costs one request. */
const keyPath = "/api/v1/keys";

type Props = {
  tiers: readonly TierName[];
  vendorCategories: readonly string[];
  reportCategories: readonly string[];
  /** Whether the server sends mail. */
  hasMail: boolean;
  /** Whether keys are sold here. */
  isSold: boolean;
  /** Says that vendors are not fetched on this server; false if they are. */
  fetchingNotice: ReactNode;
  /** How to get a key, shown while there is none. */
  children: ReactNode;
};

/** The dashboard of an API key: usage, rotation, vendors, digests, webhooks and payment. The key is typed in and stays in this tab. */
export function KeyDashboard(props: Props) {
  const { tiers, vendorCategories, reportCategories, hasMail, isSold, fetchingNotice, children } = props;
  const key = useStoredKey();
  const [check, setCheck] = useState<CheckState>({ status: "idle" });
  const [previousKeys, setPreviousKeys] = useState<readonly PreviousKey[]>([]);
  const [usage, setUsage] = useState<Usage | undefined>();

  /** Sends a request with the stored key, and updates the usage from the response. */
  const sendRequest = useCallback(
    async <Data,>(path: string, options?: ApiRequestOptions, withKey = key ?? "") => {
      const result = await sendApiRequest<Data>(withKey, path, options);
      if (result.usage !== undefined) setUsage(result.usage);
      return result;
    },
    [key],
  );

  const loadKey = async (candidate: string) => {
    const result = await sendRequest<KeyDetail>(keyPath, {}, candidate);
    if (result.ok) setPreviousKeys(result.data.previous_keys);
    return result;
  };
  const checkKey = async (candidate: string) => {
    setCheck({ status: "checking" });
    const result = await loadKey(candidate);
    if (result.ok) storeKey(candidate);
    setCheck(result.ok ? { status: "valid", tier: result.data.tier } : { status: "failed", message: result.message });
  };
  const replaceKey = (rotated: string) => {
    storeKey(rotated);
    void loadKey(rotated);
  };
  const forgetKey = () => {
    storeKey(null);
    setCheck({ status: "idle" });
    setUsage(undefined);
  };
  const isValid = check.status === "valid" && key !== null;
  return (
    <>
      <div className={styles.dashboard}>
        {!isValid && (
          <KeyForm storedKey={key} isBusy={check.status === "checking"} onSubmit={checkKey} onForget={forgetKey} />
        )}
        <p role="status" className="visually-hidden">
          {check.status === "checking" && "Checking the key"}
          {isValid && `The key is valid. Tier: ${check.tier}.`}
        </p>
        {check.status === "failed" && (
          <Notice tone="error" title="Couldn’t check the key.">
            {check.message}
          </Notice>
        )}
        {isValid && (
          <>
            <section className={styles.section} aria-labelledby="usage">
              <h2 id="usage">Today</h2>
              <UsageSummary keyTail={key.slice(-4)} tier={check.tier} usage={usage ?? null} tiers={tiers} />
              <p className={styles.buttons}>
                <Button onClick={() => checkKey(key)}>Refresh (one request)</Button>
                <Button onClick={forgetKey}>Forget key</Button>
              </p>
            </section>
            <KeyRotation sendRequest={sendRequest} onRotated={replaceKey} />
            {previousKeys.length > 0 && (
              <PreviousKeys keys={previousKeys} sendRequest={sendRequest} onEnded={() => setPreviousKeys([])} />
            )}
            <VendorManager
              sendRequest={sendRequest}
              tier={check.tier}
              categories={vendorCategories}
              fetchingNotice={fetchingNotice}
            />
            {hasMail && <DigestManager sendRequest={sendRequest} categories={reportCategories} />}
            <WebhookManager sendRequest={sendRequest} tier={check.tier} categories={reportCategories} />
            {isSold && check.tier !== "free" && <PaymentPortal sendRequest={sendRequest} />}
          </>
        )}
      </div>
      {!isValid && children}
    </>
  );
}
