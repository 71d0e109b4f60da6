/** Secrets of the messaging provider's requests. Null: not configured for the installation. */
export interface MessagingKeys {
  /** Repeated by the provider when it verifies the address. */
  readonly verifyToken: string | null;
  /** Signs JSON bodies. */
  readonly appSecret: string | null;
  /** Signs forms; used by the first channel only. */
  readonly authToken: string | null;
}

/** Messaging channels; also names of triggers. */
export const MESSAGING_CHANNELS = ['messaging-a', 'messaging-b'] as const;
export type MessagingChannel = (typeof MESSAGING_CHANNELS)[number];

/** Variable with the installation's key. */
export const MESSAGING_VARIABLES = {
  'messaging-a': {
    verifyToken: 'MESSAGING_A_VERIFY_TOKEN',
    appSecret: 'MESSAGING_A_APP_SECRET',
    authToken: 'MESSAGING_A_AUTH_TOKEN',
  },
  'messaging-b': { verifyToken: 'MESSAGING_B_VERIFY_TOKEN', appSecret: 'MESSAGING_B_APP_SECRET', authToken: null },
} as const satisfies Record<MessagingChannel, Record<keyof MessagingKeys, string | null>>;

export type MessagingConfig = Readonly<Record<MessagingChannel, MessagingKeys>>;

/** MESSAGING_* of an environment. */
export const readMessaging = (text: (name: string) => string | null): MessagingConfig => ({
  'messaging-a': {
    verifyToken: text('MESSAGING_A_VERIFY_TOKEN'),
    appSecret: text('MESSAGING_A_APP_SECRET'),
    authToken: text('MESSAGING_A_AUTH_TOKEN'),
  },
  'messaging-b': {
    verifyToken: text('MESSAGING_B_VERIFY_TOKEN'),
    appSecret: text('MESSAGING_B_APP_SECRET'),
    authToken: null,
  },
});
