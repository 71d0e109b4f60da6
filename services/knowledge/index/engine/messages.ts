import type { CallName } from './calls';

/** To the thread. `asked` is what the call takes, `answer` below what it answers; both sides know it by the call's name. */
export type ToThread =
  | { readonly kind: 'ask'; readonly id: number; readonly call: CallName; readonly asked: unknown }
  | { readonly kind: 'abandon'; readonly id: number };

export type FromThread =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'fault'; readonly id: number; readonly message: string };
