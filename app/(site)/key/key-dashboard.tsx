"use client";

import { type FormEvent, type ReactNode, useCallback, useEffect, useState } from "react";
import type { getKey } from "#lib/accounts/keys/index";
import { Button } from "../../_components/button";
import { InputField } from "../../_components/field";
import { Section } from "../../_components/page-parts";
import { storeKey, useStoredKey } from "../../_components/stored-key";
import { Tabs } from "../../_components/tabs";
import { AccountKeys } from "./account-keys";
import { Failure } from "./actions";
import { type AnswerOf, type ApiRequestOptions, SendRequestContext, sendApiRequest, type Usage } from "./api-request";
import { DigestManager } from "./digests/digest-manager";
import styles from "./key.module.css";
import { KeyRotation, PreviousKeys, UsageSummary, UsedUp } from "./key-sections";
import { describePayment, type Offer, PaymentPortal, Upgrade } from "./payment-section";
import { VendorManager } from "./vendors/vendor-manager";
import { WebhookManager } from "./webhooks/webhook-manager";

type KeyFormProps = {
  /** The key of this tab, if it has one. */
  storedKey: string | null;
  isBusy: boolean;
  onSubmit: (key: string) => void;
  onForget: () => void;
};

const keyPattern = /^ltf_[0-9A-Za-z]{38}$/;
const patternError = "A key starts with ltf_ and has 42 characters: letters and digits.";
const hint = "Checking the key uses one of today's requests, and each list one more when you open it.";

/** The form for the key. The field has no name, so that a form submission can never put the key into a URL. */
function KeyForm({ storedKey, isBusy, onSubmit, onForget }: KeyFormProps) {
  const [typed, setTyped] = useState("");
  const [isVisible, setIsVisible] = useState(false);
  const [error, setError] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const key = typed.trim() || (storedKey ?? "");
    if (!keyPattern.test(key)) return setError(patternError);
    setError(undefined);
    onSubmit(key);
  };
  return (
    <form onSubmit={submit} className="scripted stack" noValidate>
      <InputField
        id="key"
        label="API key"
        hint={hint}
        error={error}
        type={isVisible ? "text" : "password"}
        autoCapitalize="none"
        spellCheck={false}
        className="mono"
        placeholder={storedKey ? `the key of this tab, …${storedKey.slice(-4)}` : "ltf_…"}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <p className="row tight">
        <Button type="submit" variant="primary" disabled={isBusy}>
          {isBusy ? "Checking…" : "Check key"}
        </Button>
        <Button aria-pressed={isVisible} onClick={() => setIsVisible(!isVisible)}>
          Show key
        </Button>
        {storedKey && <Button onClick={onForget}>Forget key</Button>}
      </p>
    </form>
  );
}

type KeyDetail = AnswerOf<typeof getKey>;
type PreviousKey = KeyDetail["previous_keys"][number];
type CheckState =
  | { status: "idle" | "checking" }
  | { status: "failed"; message: string }
  | ({ status: "valid" } & Pick<KeyDetail, "tier" | "plan" | "subscription">);

/** Describes the key; costs one request. */
const keyPath = "/api/v1/keys";

type Props = {
  planNames: Readonly<Record<KeyDetail["plan"], string>>;
  vendorCategories: readonly string[];
  reportCategories: readonly string[];
  /** Whether the server sends mail. */
  hasMail: boolean;
  /** The tiers that are sold here. */
  offers: readonly Offer[];
  /** Says that vendors are not fetched on this server; false if they are. */
  fetchingNotice: ReactNode;
  /** How to get a key, shown while there is none. */
  children: ReactNode;
};

/** The dashboard of an API key: usage, rotation, vendors, digests, webhooks and payment. The key is typed in and stays in this tab. */
export function KeyDashboard(props: Props) {
  const { planNames, vendorCategories, reportCategories, hasMail, offers, fetchingNotice, children } = props;
  const key = useStoredKey();
  const [check, setCheck] = useState<CheckState>({ status: "idle" });
  const [previousKeys, setPreviousKeys] = useState<PreviousKey[]>([]);
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
    setCheck(result.ok ? { status: "valid", ...result.data } : { status: "failed", message: result.message });
  };
  // The key of this tab after a reload, or back from the payment provider.
  useEffect(() => {
    if (key !== null && check.status === "idle") void checkKey(key);
  });
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
  const subscription = isValid ? check.subscription : null;
  return (
    <SendRequestContext value={sendRequest}>
      <div className={styles.dashboard}>
        {!isValid && (
          <KeyForm storedKey={key} isBusy={check.status === "checking"} onSubmit={checkKey} onForget={forgetKey} />
        )}
        <p role="status" className="visually-hidden">
          {check.status === "checking" && "Checking the key"}
          {isValid && `The key is valid. Tier: ${planNames[check.plan]}.`}
        </p>
        {check.status === "failed" && <Failure title="Couldn’t check the key." message={check.message} />}
        {isValid && (
          <>
            <Section id="usage" title="Today">
              <UsageSummary
                keyTail={key.slice(-4)}
                planName={planNames[check.plan]}
                payment={subscription ? describePayment(subscription) : undefined}
                usage={usage ?? null}
              />
              {usage?.remaining === 0 && <UsedUp resetsAt={usage.resetsAt} hasMail={hasMail} />}
              <p className="row tight">
                <Button onClick={() => checkKey(key)}>Refresh (one request)</Button>
                <Button onClick={forgetKey}>Forget key</Button>
              </p>
            </Section>
            <Tabs
              label="What belongs to the key"
              isLazy
              tabs={[
                {
                  id: "this",
                  title: "This key",
                  content: (
                    <>
                      <KeyRotation onRotated={replaceKey} />
                      {previousKeys.length > 0 && (
                        <PreviousKeys keys={previousKeys} onEnded={() => setPreviousKeys([])} />
                      )}
                    </>
                  ),
                },
                { id: "account", title: "All keys", content: <AccountKeys /> },
                {
                  id: "own",
                  title: "Vendors",
                  content: (
                    <VendorManager tier={check.tier} categories={vendorCategories} fetchingNotice={fetchingNotice} />
                  ),
                },
                ...(hasMail
                  ? [{ id: "mail", title: "Digests", content: <DigestManager categories={reportCategories} /> }]
                  : []),
                {
                  id: "hooks",
                  title: "Webhooks",
                  content: <WebhookManager tier={check.tier} categories={reportCategories} />,
                },
                ...(subscription && offers.length > 0
                  ? [{ id: "portal", title: "Payment", content: <PaymentPortal subscription={subscription} /> }]
                  : []),
                ...(!subscription && check.plan === "free" && offers.length > 0
                  ? [{ id: "upgrade", title: "Upgrade", content: <Upgrade offers={offers} /> }]
                  : []),
              ]}
            />
          </>
        )}
      </div>
      {!isValid && children}
    </SendRequestContext>
  );
}
