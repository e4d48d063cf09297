/** What streams tell, by the names of their events; the server describes all of it. */

import type { components } from "./schema";

type Schemas = components["schemas"];

/** An answer in a chat. */
export type AnswerNews = Schemas["AnswerEvents"];
/** A chat. */
export type ChatNews = Schemas["ChatEvents"];
/** A garden. */
export type GardenNews = Schemas["GardenEvents"];
/** A turn that was asked for. */
export type TurnNews = Schemas["TurnEvents"];

export type Activity = Schemas["ActivityNews"];
export type RowNews = Schemas["RowNews"];
export type Speaking = Schemas["SpeakingNews"];
