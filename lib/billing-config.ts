/** The account at the payment provider (the API of Stripe), and what happens when a plan becomes a lower one. */
export interface BillingConfig {
  /** Null: nobody can pay. */
  readonly apiKey: string | null;
  /** Null: no events are taken. */
  readonly webhookSecret: string | null;
  /** Where its API is; null: at the provider's own address. */
  readonly url: string | null;
  /** The price of each plan that is sold; null: it is not. */
  readonly prices: { readonly pro: string | null; readonly enterprise: string | null };
  /** For how long everything that is beyond a new, lower plan goes on. Milliseconds. */
  readonly graceMs: number;
}

interface Reader {
  text(name: string): string | null;
  url(name: string, protocols: readonly string[]): string | null;
  integer(name: string, fallback: number, least: number, most: number): number;
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
      'BILLING_PROVIDER_PRICE_PRO and BILLING_PROVIDER_PRICE_ENTERPRISE are the same price; a price is of one plan',
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

/** The client appends its own paths. */
function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, pathname, search, hash } = new URL(text);
  return pathname === '/' && username + password + search + hash === '';
}
