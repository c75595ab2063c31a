import { AppError } from "#lib/platform/errors";
import { configuredPayments, type PaymentsSource } from "./payments";

/** Whether tiers can be bought here: the payment provider is configured. It is not asked whether it answers. */
export async function isSelling(payments: PaymentsSource = configuredPayments): Promise<boolean> {
  try {
    await payments();
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
