/** How large a JSON value may be where nothing else is said: the defaults of the settings `depthMax` and `itemValuesMax`. */

export const depthDefault = 32;
export const itemValuesDefault = 20_000;
