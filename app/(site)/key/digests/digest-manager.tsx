"use client";

import type { createDigest, listDigests } from "#lib/tracking/digests/index";
import { StatusBadge } from "../../../_components/badge";
import { SelectField } from "../../../_components/field";
import { formatDateTime } from "../../../_components/format";
import { ActionStatus, AddForm, ConfirmButton, EmailField, emailOf, textOf } from "../actions";
import { type AnswerOf, useSubmit } from "../api-request";
import { describeFilters, OptionalFilters, readFilters } from "../filter-fields";
import styles from "../key.module.css";
import { ListSection } from "../list-section";
import { frequencies } from "./frequencies";

type Digests = AnswerOf<typeof listDigests>;
type Digest = Digests["digests"][number];

const emailError = "Enter one e-mail address, such as team@example.com.";
const significances = [
  ["", "every change"],
  ...[2, 3, 4].map((level) => [String(level), `from ${level} of 5`] as const),
  ["5", "only 5 of 5"],
] as const;

function readDigest(form: FormData) {
  const email = emailOf(form);
  if (!email) return emailError;
  return { email, frequency: textOf(form, "frequency"), filters: readFilters(form) };
}

/** The form for a new digest. */
function AddDigest({ categories, onAdded }: { categories: readonly string[]; onAdded: () => void }) {
  return (
    <AddForm<AnswerOf<typeof createDigest>>
      path="/api/v1/digests"
      label="Add digest"
      busyLabel="Adding…"
      readBody={readDigest}
      describe={({ digest: { email } }) => `A mail was sent to ${email}. Open its link to confirm the address.`}
      onDone={onAdded}
    >
      {(error) => (
        <>
          <div className={styles.fields}>
            <EmailField id="digest-email" placeholder="team@example.com" error={error} />
            <SelectField
              id="digest-frequency"
              name="frequency"
              label="Frequency"
              choices={frequencies}
              defaultValue="daily"
            />
          </div>
          <OptionalFilters id="digest-filter" categories={categories} significances={significances} />
        </>
      )}
    </AddForm>
  );
}

function describeState({ status, confirm_by: confirmBy, last_sent_at: last, disabled_reason: reason }: Digest): string {
  if (status === "pending" && confirmBy) return `open the link in the mail by ${formatDateTime(confirmBy)}`;
  if (status === "disabled" && reason) return reason;
  return last ? `last mail ${formatDateTime(last)}` : "no mail so far";
}

/** A digest, whose frequency can be changed, and which can be deleted. */
function DigestItem({ digest, onChanged }: { digest: Digest; onChanged: () => void }) {
  const { id, email, frequency, status, filters } = digest;
  const { error, isBusy, submit } = useSubmit();
  const path = `/api/v1/digests/${id}`;
  const change = (value: string) => submit(path, { method: "PATCH", body: { frequency: value } }, onChanged);
  return (
    <li className={`${styles.item} panel stack tight`}>
      <h3>{email}</h3>
      <p className="caption">
        <StatusBadge status={status} /> {describeState(digest)}
        {filters && `; only ${describeFilters(filters)}`}
      </p>
      {status !== "disabled" && (
        <div className={styles.fields}>
          <SelectField
            id={`frequency-${id}`}
            label="Frequency"
            choices={frequencies}
            disabled={isBusy}
            value={frequency}
            onChange={({ target }) => change(target.value)}
          />
        </div>
      )}
      <div className="row tight">
        <ConfirmButton
          variant="quiet"
          label="Delete"
          confirmLabel="Delete now"
          question="Its address is deleted too."
          disabled={isBusy}
          onConfirm={() => submit(path, { method: "DELETE" }, onChanged)}
        />
        <ActionStatus isBusy={isBusy} error={error} />
      </div>
    </li>
  );
}

/** The e-mail digests of the key's account. */
export function DigestManager({ categories }: { categories: readonly string[] }) {
  return (
    <ListSection<Digests>
      id="digests"
      title="E-mail digests"
      lead="Changes of the vendors that your tier covers are mailed to these addresses."
      noun="digests"
      path="/api/v1/digests"
      describeCount={({ _meta: { count, limit } }) => `${count} of ${limit} digests`}
      renderItems={({ digests }, reload) =>
        digests.map((digest) => <DigestItem key={digest.id} digest={digest} onChanged={reload} />)
      }
      renderForm={(reload) => <AddDigest categories={categories} onAdded={reload} />}
    />
  );
}
