import { cachesContract } from '../../contracts/caches';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { folderCacheOf, STALE_FOLDERS } from '../../mixins/folders/tenant-folders';
import { defineService, onStale, type ServiceContext } from '../../mixins/service';
import { type App, appOf } from '../app';

/** Runs in every process beside its other services: acknowledges that their caches have dropped what is stale. */
export const cachesService = (app: App): ServiceSchema => {
  let service: ServiceContext;
  return defineService(app, cachesContract, {
    handlers: {
      forget: ({ params: { patterns } }) => service.broker.broadcastLocal('cache.stale', { patterns }),
    },
    events: { 'cache.stale': onStale({ [STALE_FOLDERS]: (tenantId) => folderCacheOf(app).forget(tenantId) }) },
    started(context) {
      service = context;
    },
  });
};

export default (broker: ServiceBroker): ServiceSchema => cachesService(appOf(broker));
