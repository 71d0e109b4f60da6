import type { NodeCapabilities } from '../../../nodes/contract';
import { inlineCompute } from '../inline-compute';

const none = (what: string) => () => Promise.reject(new Error(`no ${what} in a simulation`));

/** The capabilities of steps in tests without external effects. */
export const noCapabilities = (): NodeCapabilities => ({
  sandbox: { run: none('sandbox') },
  compute: inlineCompute,
  net: { connect: none('network') },
  models: { platform: () => null, prices: [], http: { request: none('models') } },
  connectorUrls: new Map(),
  mail: null,
});
