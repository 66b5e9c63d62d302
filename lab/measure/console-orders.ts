/** Orders to the service's process that only the measurement of the console needs. */
import type { OrdersModule } from '../service/server.ts';

export const ordersOf: OrdersModule['ordersOf'] = (rowhouse) => ({ setUpLink: () => rowhouse().setUpLink() });
