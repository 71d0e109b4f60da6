/** The account at the payment provider (the Stripe API), and the grace period of downgrades. */
export interface BillingConfig {
  /** Null: plans are not sold. */
  readonly apiKey: string | null;
  /** Null: events are rejected. */
  readonly webhookSecret: string | null;
  /** Address of the API; null: the provider's own. */
  readonly url: string | null;
  /** Price id by plan; null: the plan is not sold. */
  readonly prices: { readonly pro: string | null; readonly enterprise: string | null };
  /** Grace period after a downgrade, in milliseconds. */
  readonly graceMs: number;
}

interface Reader {
  text(name: string): string | null;
  url(name: string, protocols: readonly string[]): string | null;
  integer(name: string, fallback: number, min: number, max: number): number;
}

const DAY_MS = 24 * 3_600_000;

/** BILLING_* of an environment. Faults are added to the list, without secrets. */
export function readBilling(read: Reader, faults: string[]): BillingConfig {
  const url = read.url('BILLING_PROVIDER_URL', ['http:', 'https:']);
  if (url !== null && !isOrigin(url)) {
    faults.push('BILLING_PROVIDER_URL must be an address without a path, such as https://api.example.com');
  }
  const [pro, enterprise] = [read.text('BILLING_PROVIDER_PRICE_PRO'), read.text('BILLING_PROVIDER_PRICE_ENTERPRISE')];
  if (pro !== null && pro === enterprise) {
    faults.push(
      'BILLING_PROVIDER_PRICE_PRO and BILLING_PROVIDER_PRICE_ENTERPRISE are the same price; use a separate price for each plan',
    );
  }
  return {
    apiKey: read.text('BILLING_PROVIDER_API_KEY'),
    webhookSecret: read.text('BILLING_PROVIDER_WEBHOOK_SECRET'),
    url,
    prices: { pro, enterprise },
    graceMs: read.integer('BILLING_GRACE_DAYS', 7, 0, 365) * DAY_MS,
  };
}

/** The client appends paths. */
function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, pathname, search, hash } = new URL(text);
  return pathname === '/' && username + password + search + hash === '';
}
