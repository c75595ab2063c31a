"use client";

import { useState } from "react";
import { InputField, SelectField } from "../../_components/field";
import { AddForm, EmailField, emailOf, textOf } from "../key/actions";
import { type SendRequest, SendRequestContext, sendApiRequest } from "../key/api-request";
import { frequencies } from "../key/digests/frequencies";
import keyStyles from "../key/key.module.css";
import styles from "./follow.module.css";

const noAddress = "Enter one e-mail address, such as you@example.com.";

function readRequest(form: FormData, badCount: string, maxCount: number) {
  const vendors = form.getAll("vendor").map(String);
  const email = emailOf(form);
  if (vendors.length === 0 || vendors.length > maxCount) return badCount;
  if (!email) return noAddress;
  return { email, frequency: textOf(form, "frequency"), filters: { vendors } };
}

const sendWithoutKey: SendRequest = (path, options) => sendApiRequest("", path, options);

type Vendor = { slug: string; name: string; reader: string };

/** What is tracked, unless it is an llms.txt file. */
const contents: Record<string, string> = {
  openapi: "OpenAPI",
  model_dates: "end dates of models",
  model_prices: "prices of models",
};

type Props = {
  vendors: readonly Vendor[];
  chosen: readonly string[];
  /** Most vendors that an address can follow. */
  maxCount: number;
};

/** The form that lets an address follow vendors without an account. */
export function FollowForm({ vendors, chosen, maxCount }: Props) {
  const [typed, setTyped] = useState("");
  const wanted = typed.trim().toLowerCase();
  const isShown = ({ name }: Vendor) => name.toLowerCase().includes(wanted);
  const badCount = `Tick 1 to ${maxCount} vendors.`;
  return (
    <SendRequestContext value={sendWithoutKey}>
      <AddForm<{ digest: { email: string } }>
        path="/api/v1/digests"
        label="Follow"
        busyLabel="Sending…"
        readBody={(form) => readRequest(form, badCount, maxCount)}
        describe={({ digest: { email } }) => `A mail was sent to ${email}. Open its link to confirm the address.`}
        fieldsBelow={
          <>
            <InputField
              id="follow-filter"
              label="Filter the list"
              type="search"
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
              // Enter would send the form.
              onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
            />
            <fieldset>
              <legend className="caption">
                {vendors.length.toLocaleString("en")} sources, of which you can follow {maxCount}. They are llms.txt
                files unless noted.
              </legend>
              <div className={styles.vendors}>
                {vendors.map((vendor) => (
                  <label key={vendor.slug} hidden={!isShown(vendor)}>
                    <input
                      type="checkbox"
                      name="vendor"
                      value={vendor.slug}
                      defaultChecked={chosen.includes(vendor.slug)}
                    />
                    <span>
                      {vendor.name} <span className="caption">{contents[vendor.reader]}</span>
                    </span>
                  </label>
                ))}
                <p role="status">{vendors.some(isShown) ? "" : "No source has this name."}</p>
              </div>
            </fieldset>
          </>
        }
      >
        {(error) => (
          <>
            <div className={keyStyles.fields}>
              <EmailField
                id="follow-email"
                placeholder="you@example.com"
                error={error === badCount ? undefined : error}
              />
              <SelectField
                id="follow-frequency"
                name="frequency"
                label="Frequency"
                choices={frequencies}
                defaultValue="weekly"
              />
            </div>
            {error === badCount && <p className="failed">{error}</p>}
          </>
        )}
      </AddForm>
    </SendRequestContext>
  );
}
