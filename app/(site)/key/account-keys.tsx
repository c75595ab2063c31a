"use client";

import { useState } from "react";
import { Button } from "../../_components/button";
import { formatDateTime, formatDay } from "../../_components/format";
import { Section } from "../../_components/page-parts";
import { ConfirmButton, Failure } from "./actions";
import { useSubmit } from "./api-request";
import styles from "./key.module.css";

/** A key of the account, in the API's format. */
type AccountKey = {
  id: string;
  last_four: string;
  created_at: string;
  works_until: string | null;
  used_on: string | null;
  is_calling: boolean;
};

function describe({ created_at, works_until, used_on }: AccountKey): string {
  const parts = [
    `created ${formatDay(created_at)}`,
    used_on ? `last used ${formatDay(used_on)}` : "not used yet",
    works_until && `works until ${formatDateTime(works_until)}`,
  ];
  return parts.filter(Boolean).join(", ");
}

/** The keys of the account that work, loaded on demand; each but this tab's can be ended. */
export function AccountKeys() {
  const [keys, setKeys] = useState<readonly AccountKey[]>();
  const { error, isBusy, submit } = useSubmit();
  const load = () => submit<{ keys: AccountKey[] }>("/api/v1/keys/account", {}, ({ keys: loaded }) => setKeys(loaded));
  return (
    <Section id="keys" title="Keys of your account">
      {keys && (
        <ul className="stack tight plain-list">
          {keys.map((key) => (
            <li key={key.id} className={`${styles.item} panel row`}>
              <span>
                <span className="mono">ltf_…{key.last_four}</span> <span className="caption">{describe(key)}</span>
              </span>
              {key.is_calling ? (
                <span className="caption">this tab’s key</span>
              ) : (
                <ConfirmButton
                  variant="quiet"
                  label={`End …${key.last_four}`}
                  confirmLabel="End now"
                  question="The key stops working at once."
                  disabled={isBusy}
                  onConfirm={() => submit(`/api/v1/keys/${key.id}`, { method: "DELETE" }, load)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      <p>
        <Button disabled={isBusy} onClick={load}>
          {keys ? "Refresh keys (one request)" : "Show keys (one request)"}
        </Button>
      </p>
      <Failure title="Couldn’t load or end a key." message={error} />
    </Section>
  );
}
