"use client";

import { useEffect, useRef, useState } from "react";
import { Button, type ButtonVariant } from "../../_components/button";
import styles from "./key.module.css";

type Props = {
  label: string;
  /** Label of the second button, which confirms. */
  confirmLabel: string;
  question: string;
  variant?: ButtonVariant;
  disabled?: boolean;
  onConfirm: () => void;
};

/** A button that asks for confirmation before an action that cannot be undone. */
export function ConfirmButton({ label, confirmLabel, question, variant, disabled = false, onConfirm }: Props) {
  const [isConfirming, setIsConfirming] = useState(false);
  const wasConfirming = useRef(false);
  const initialButton = useRef<HTMLButtonElement>(null);
  const confirmButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isConfirming) confirmButton.current?.focus();
    else if (wasConfirming.current) initialButton.current?.focus();
    wasConfirming.current = isConfirming;
  }, [isConfirming]);
  if (!isConfirming) {
    return (
      <Button ref={initialButton} variant={variant} disabled={disabled} onClick={() => setIsConfirming(true)}>
        {label}
      </Button>
    );
  }
  const confirm = () => {
    setIsConfirming(false);
    onConfirm();
  };
  return (
    <fieldset
      aria-label={question}
      className={styles.confirm}
      onKeyDown={({ key }) => key === "Escape" && setIsConfirming(false)}
    >
      <span>{question}</span>
      <Button ref={confirmButton} variant={variant} onClick={confirm}>
        {confirmLabel}
      </Button>
      <Button variant={variant} onClick={() => setIsConfirming(false)}>
        Cancel
      </Button>
    </fieldset>
  );
}
