"use client";

import type { listAccountKeys } from "#lib/accounts/keys/index";
import { formatCount } from "#lib/platform/format-count";
import { InputField } from "../../_components/field";
import { formatDateTime, formatDay } from "../../_components/format";
import { AddForm, ConfirmButton, Failure, textOf } from "./actions";
import { type AnswerOf, useSubmit } from "./api-request";
import styles from "./key.module.css";
import { ListSection } from "./list-section";

type Keys = AnswerOf<typeof listAccountKeys>;
type AccountKey = Keys["keys"][number];

function describe({ created_at, works_until, used_on }: AccountKey): string {
  const parts = [
    `created ${formatDay(created_at)}`,
    used_on ? `last used ${formatDay(used_on)}` : "not used yet",
    works_until && `works until ${formatDateTime(works_until)}`,
  ];
  return parts.filter(Boolean).join(", ");
}

/** A key of the account; each but this tab's can be ended. */
function KeyItem({ item, onEnded }: { item: AccountKey; onEnded: () => void }) {
  const { id, name, last_four: tail, is_calling: isCalling } = item;
  const { error, isBusy, submit } = useSubmit();
  return (
    <li className={`${styles.item} panel stack tight`}>
      <div className="row">
        <span>
          {name && <strong>{name} </strong>}
          <span className="mono">ltf_…{tail}</span> <span className="caption">{describe(item)}</span>
        </span>
        {isCalling ? (
          <span className="caption">this tab’s key</span>
        ) : (
          <ConfirmButton
            variant="quiet"
            label={`End …${tail}`}
            confirmLabel="End now"
            question="The key stops working at once."
            disabled={isBusy}
            onConfirm={() => submit(`/api/v1/keys/${id}`, { method: "DELETE" }, onEnded)}
          />
        )}
      </div>
      <Failure title="Couldn’t end the key." message={error} />
    </li>
  );
}

const nameError = "Name what the key is for.";

function readKey(form: FormData) {
  const [name, days] = [textOf(form, "name"), textOf(form, "days")];
  return name ? { name, ...(days && { expires_in_days: Number(days) }) } : nameError;
}

/** The form for another key, which is shown once. */
function CreateKey({ onCreated }: { onCreated: () => void }) {
  return (
    <AddForm<{ new_key: string }>
      path="/api/v1/keys"
      label="Create key"
      busyLabel="Creating…"
      readBody={readKey}
      secret={{
        title: "Your new key (shown only once)",
        label: "key",
        note: "It shares today’s requests and the webhooks of this key.",
        of: (created) => created.new_key,
      }}
      onDone={onCreated}
    >
      {(error) => (
        <div className={styles.fields}>
          <InputField id="key-name" name="name" label="Name of a new key" error={error} maxLength={60} />
          <InputField
            id="key-days"
            name="days"
            label="Days until it expires (default: with this key)"
            type="number"
            min={1}
            max={3650}
          />
        </div>
      )}
    </AddForm>
  );
}

/** The keys of the account that work. */
export function AccountKeys() {
  return (
    <ListSection<Keys>
      id="keys"
      title="Keys of your account"
      lead="One for each place that uses the API, so that you can end one alone."
      noun="keys"
      path="/api/v1/keys/account"
      describeCount={({ keys }) => formatCount(keys.length, "key")}
      renderItems={({ keys }, reload) => keys.map((item) => <KeyItem key={item.id} item={item} onEnded={reload} />)}
      renderForm={(reload) => <CreateKey onCreated={reload} />}
    />
  );
}
