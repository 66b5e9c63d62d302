/** The client's tests in Chromium, in a page whose origin differs from the service's; `npm run test:client` runs them elsewhere. */
import { chromium } from '../platforms/programs.ts';
import { testOn } from '../platforms/tests.ts';

testOn(chromium);
