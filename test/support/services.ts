import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { SERVICE_NAMES, type ServiceName } from '../../lib/config';
import { serviceFile } from '../../start/service-files';
import type { ServiceFactory } from './app';

interface ServiceModule {
  readonly default: (broker: ServiceBroker) => ServiceSchema;
}

/** These services, from the files that the start and moleculer-runner load. */
export const servicesNamed =
  (...names: readonly ServiceName[]): ServiceFactory =>
  (_app, broker) =>
    names.map((name) => (require(serviceFile(name)) as ServiceModule).default(broker));

/** Every service of the product. */
export const allServices = servicesNamed(...SERVICE_NAMES);
