import type { NodeMeans } from '../../../nodes/contract';

const none = (what: string) => () => Promise.reject(new Error(`no ${what} in a simulation`));

/** What steps are lent where nothing outside is simulated. */
export const noMeans = (): NodeMeans => ({
  sandbox: { run: none('sandbox') },
  net: { connect: none('network') },
  models: { platform: () => null, prices: [], http: { request: none('models') } },
  connectorUrls: new Map(),
  mail: null,
});
