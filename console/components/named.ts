/** The title of the screen or dialog around, for what has to say where it belongs. */
import { createContext } from 'preact';

export const Named = createContext('');
