"use client";

import { useEffect, useRef, useState } from "react";
import { Button, type ButtonVariant } from "../../_components/button";
import styles from "./key.module.css";

type Props = {
  /** What the button says, and what the second one says that does it. */
  label: string;
  doLabel: string;
  question: string;
  variant?: ButtonVariant;
  disabled?: boolean;
  onConfirm: () => void;
};

/** A button that asks before it does what cannot be taken back. */
export function ConfirmButton({ label, doLabel, question, variant, disabled = false, onConfirm }: Props) {
  const [isAsking, setIsAsking] = useState(false);
  const wasAsking = useRef(false);
  const first = useRef<HTMLButtonElement>(null);
  const second = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isAsking) second.current?.focus();
    else if (wasAsking.current) first.current?.focus();
    wasAsking.current = isAsking;
  }, [isAsking]);
  if (!isAsking) {
    return (
      <Button ref={first} variant={variant} disabled={disabled} onClick={() => setIsAsking(true)}>
        {label}
      </Button>
    );
  }
  const confirm = () => {
    setIsAsking(false);
    onConfirm();
  };
  return (
    <fieldset aria-label={question} className={styles.confirm}>
      <span>{question}</span>
      <Button ref={second} variant={variant} onClick={confirm}>
        {doLabel}
      </Button>
      <Button variant={variant} onClick={() => setIsAsking(false)}>
        Cancel
      </Button>
    </fieldset>
  );
}
