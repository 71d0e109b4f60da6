import { SERVICE_NAMES, type ServiceName } from '../../lib/config';
import { serviceModule } from '../../start/service-files';
import type { ServiceFactory } from './app';

/** These services, from the files that the start and moleculer-runner load. */
export const servicesNamed =
  (...names: readonly ServiceName[]): ServiceFactory =>
  (_app, broker) =>
    names.map((name) => serviceModule(name).default(broker));

/** Every service of the product. */
export const allServices = servicesNamed(...SERVICE_NAMES);
