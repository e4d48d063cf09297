export interface paths {
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health
         * @description The server answers.
         */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ready
         * @description The journal answers as well.
         */
        get: operations["ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every
         * @description Every sheet, those that come with Hakoniwa first.
         */
        get: operations["list_sheets"];
        put?: never;
        /**
         * Keep
         * @description Make a sheet of a card (PNG, JSON or CHARX), which scenarios of one's own can name.
         */
        post: operations["import_card"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cards/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description A sheet as it is written.
         */
        get: operations["read_sheet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cards/{name}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export
         * @description A sheet as a card.
         */
        get: operations["export_card"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cards/{name}/lore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lore
         * @description The lore of a sheet as a lorebook file of SillyTavern.
         */
        get: operations["export_lore"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cards/{name}/portrait": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Portrait
         * @description A picture of who a sheet is of: the user's own for an expression, else the one on their card.
         */
        get: operations["read_portrait"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete
         * @description Say something to a character or in a garden. Only the last message is new: the journal is the history. The
         *     same history again is a retake; a question about the conversation is answered and not kept.
         */
        post: operations["complete_chat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every
         * @description Conversations, or with `archived` those that were put away, the one that was talked in last first.
         */
        get: operations["list_chats"];
        put?: never;
        /**
         * Begin
         * @description Begin a conversation.
         */
        post: operations["new_chat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description What was said, page by page from the newest.
         */
        get: operations["read_chat"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow
         * @description The answer that is under way, from its beginning; nothing if there is none.
         */
        get: operations["follow_answer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/autonomy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Status
         * @description Whether the persona lives by itself, what it is doing, what is waiting, and what stands against it.
         */
        get: operations["read_autonomy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/autonomy/clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Clock
         * @description What time it is in the chat.
         */
        get: operations["read_clock"];
        put?: never;
        /**
         * Move
         * @description Move the chat's clock on, or back to the world's time.
         */
        post: operations["move_clock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/autonomy/digest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Told
         * @description What was done since some time; without one, since the user last said something.
         */
        get: operations["digest_autonomy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/autonomy/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause
         * @description Have it rest.
         */
        post: operations["pause_autonomy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/autonomy/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume
         * @description Have it go on.
         */
        post: operations["resume_autonomy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/autonomy/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start
         * @description Let the persona live by itself; refused where nothing can carry that out.
         */
        post: operations["start_autonomy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/autonomy/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop
         * @description Let it only answer again.
         */
        post: operations["stop_autonomy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/autonomy/trigger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Trigger
         * @description Have it think about what to do as soon as it may.
         */
        post: operations["trigger_autonomy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/autonomy/why": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Why
         * @description What was decided lately, newest first: why, and what came of it, or why nothing did.
         */
        get: operations["explain_autonomy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/branches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fork
         * @description Begin another line of play, with the memory of everything up to there.
         */
        post: operations["fork_chat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/choose": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Choose
         * @description Go on from another take of the newest exchange.
         */
        post: operations["choose_answer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/continue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go On
         * @description Go on with the newest answer; as it was, it is kept as a take.
         */
        post: operations["continue_answer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete
         * @description Take an exchange out of the conversation and of memory. The conversation as it was is kept.
         */
        post: operations["delete_exchange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/edit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Edit
         * @description Put other words in an exchange. The conversation as it was is kept; only the new words are remembered.
         */
        post: operations["edit_exchange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events
         * @description What happens from now on, or after the event whose id was seen last.
         */
        get: operations["watch_chat"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Take Back
         * @description A chat as SillyTavern reads it.
         */
        get: operations["export_chat"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say
         * @description Say something. The answer comes piece by piece; closing the connection stops it unless it `goes_on`.
         */
        post: operations["say"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/remember": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Work In
         * @description Work the next exchanges of an imported chat into memory; ask again until none waits.
         */
        post: operations["remember_chat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/retake": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retake
         * @description Answer the newest message anew; the answer before is kept as a take.
         */
        post: operations["retake_answer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop
         * @description Stop the answer that is under way, and keep what came.
         */
        post: operations["stop_answer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/takes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Takes
         * @description Every way in which the newest exchange went.
         */
        get: operations["list_takes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chats/{id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo
         * @description Take the newest exchange back, out of memory too.
         */
        post: operations["undo_exchange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Connection
         * @description Which model is to speak, and how.
         */
        get: operations["read_connection"];
        put?: never;
        /**
         * Connect
         * @description Have another model speak from now on, by the configuration file. The key is not shown again.
         */
        post: operations["connect_model"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/faces/{look}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Face
         * @description A drawn face, or all of somebody in a pose; `look` is what a garden, a chat or a sheet says of them.
         */
        get: operations["read_face"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every
         * @description Gardens, or with `archived` those that were put away, the one that was played last first.
         */
        get: operations["list_gardens"];
        put?: never;
        /**
         * Begin
         * @description Begin a garden, up to its opening words.
         */
        post: operations["new_garden"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description A garden as it is, or as it was at the end of a turn.
         */
        get: operations["read_garden"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/act": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Act
         * @description A turn as one of the people, which is judged like any other, and is not put in other words.
         */
        post: operations["act_in_garden"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/acts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Acts
         * @description What somebody can do now; with `q`, only what has it in its words.
         */
        get: operations["list_acts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/branches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Branches
         * @description Every line of play, by name.
         */
        get: operations["list_branches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/choose": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Choose
         * @description Go on from an earlier take; the line as it is now is kept as another.
         */
        post: operations["choose_take"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare
         * @description Where two lines of play part, and how their worlds differ now.
         */
        get: operations["compare_branches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/continue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go On
         * @description Another turn of whoever had the last one, in which they go on from what they said.
         */
        post: operations["continue_turn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/cue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cue
         * @description Say who speaks.
         */
        post: operations["cue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/edit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Edit
         * @description A turn in other words, judged anew. The line as it was, with all that came after, is kept as a take.
         */
        post: operations["edit_turn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events
         * @description What happens from now on, or after the row that was seen last.
         */
        get: operations["watch_garden"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export
         * @description A garden as a script to read, as data to keep, or with all its branches as a file to hand on.
         */
        get: operations["export_garden"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fork
         * @description Begin another line of play; this one stays as it is.
         */
        post: operations["fork_garden"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/highlights": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Highlights
         * @description The moments of the story that are worth showing, in its order.
         */
        get: operations["read_highlights"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/incident": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Incident
         * @description Bring an incident about.
         */
        post: operations["ring_incident"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/minds/{who}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Mind
         * @description What somebody believes, wants and feels, now or at the end of a turn.
         */
        get: operations["read_mind"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause
         * @description Have it play no more turns after the one that is being played.
         */
        post: operations["pause_garden"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/prop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prop
         * @description Bring a thing into the world.
         */
        post: operations["drop_prop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/regenerate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Regenerate
         * @description The last turn anew; the one before is kept as a take.
         */
        post: operations["regenerate_turn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/relations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Relations
         * @description What everybody feels for everybody else, now or at the end of a turn, and what moved it.
         */
        get: operations["read_relations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run
         * @description Have the garden play by itself, or at another pace.
         */
        post: operations["run_garden"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/say": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say
         * @description Say something as a voice.
         */
        post: operations["say_in_garden"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/script": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Script
         * @description The script, page by page from the newest, or from a row or a turn.
         */
        get: operations["read_script"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/sharing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sharing
         * @description What would go along in a garden file, and what would stay at home.
         */
        get: operations["list_shared"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop
         * @description Have it play no more, and whoever is speaking be silent; nothing of what they began has happened.
         */
        post: operations["stop_garden"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/turn": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turn
         * @description The next turn. It comes piece by piece; closing the connection stops it, and nothing of it has happened.
         */
        post: operations["play_turn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo
         * @description Take turns back; they stay in the journal. Whoever is speaking is stopped, and so is the play.
         */
        post: operations["undo_turns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gardens/{id}/why/{turn}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Why
         * @description What stands behind a turn.
         */
        get: operations["explain_turn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gm/leaks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Gm Leaks
         * @description Find what a line says that its speaker neither witnessed nor was told.
         */
        post: operations["gm_leaks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gm/step": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Read one reply, judge it against the world, and say what it changes */
        post: operations["gm_step"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bring
         * @description Take in a garden, or a card, a chat, a lorebook or personas of SillyTavern, told apart by their contents.
         */
        post: operations["import_file"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/lab": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every
         * @description Every experiment, the newest first.
         */
        get: operations["list_experiments"];
        put?: never;
        /**
         * Begin
         * @description Begin a small experiment; one runs at a time.
         */
        post: operations["begin_experiment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/lab/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description How far an experiment is; once it is done, its verdict and the main measures of every arm.
         */
        get: operations["read_experiment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/lab/{name}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Files
         * @description The results, every turn as a table, or the report as Markdown, to keep.
         */
        get: operations["keep_experiment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/lab/{name}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report
         * @description The report as a page to read, in which nothing can run.
         */
        get: operations["open_report"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/lab/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume
         * @description Go on with an experiment that was stopped.
         */
        post: operations["resume_experiment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/lab/{name}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop
         * @description Stop an experiment; what is finished is kept.
         */
        post: operations["stop_experiment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/{garden}/{who}/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Side By Side
         * @description What the same words, over the same memory, bring to the mind of its own persona and of another.
         */
        post: operations["compare_personas"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/{garden}/{who}/events/{seq}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Event
         * @description One event, and all that hangs on it.
         */
        get: operations["read_event"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/{garden}/{who}/forget": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Forget
         * @description Purge events for good, with what came of them alone; says what was removed.
         */
        post: operations["forget"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/{garden}/{who}/inner": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Inner
         * @description What a persona holds to be so, likes and is after, its mood and what has its attention.
         */
        get: operations["read_inner_life"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/{garden}/{who}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Runs
         * @description What was called to mind lately: the plan, what was considered, what was chosen and why; newest first.
         */
        get: operations["read_runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/{garden}/{who}/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find
         * @description What there is about something, the most fitting first.
         */
        get: operations["search_memory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/{garden}/{who}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stats
         * @description How much is remembered.
         */
        get: operations["count_memory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every
         * @description Everybody to talk to, as models: characters, and chats and gardens, the newest of each.
         */
        get: operations["list_models"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{model}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One
         * @description One of them.
         */
        get: operations["read_model"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/personas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every
         * @description Every persona of the user.
         */
        get: operations["list_personas"];
        put?: never;
        /**
         * Save
         * @description Keep a persona, in place of the one with that id or as a new one; without a portrait it keeps its own.
         */
        post: operations["save_persona"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/personas/{id}/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete
         * @description Remove a persona and its portrait; chats and gardens keep what they were begun with. Those that are left.
         */
        post: operations["delete_persona"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/personas/{id}/portrait": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Portrait
         * @description The portrait of a persona.
         */
        get: operations["read_persona_portrait"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/personas/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export
         * @description Every persona in a file that SillyTavern restores.
         */
        get: operations["export_personas"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pictures/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description The picture of a thing, as it is in a state if that looks different.
         */
        get: operations["read_picture"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search
         * @description Where these words were said, in any garden or chat, the newest first.
         */
        get: operations["search_records"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description What goes along when a garden or chat is deleted.
         */
        get: operations["read_record"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/{id}/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete
         * @description Delete a garden or chat for good, with what goes along.
         */
        post: operations["delete_record"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/records/{id}/label": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Label
         * @description Keep what a garden or chat is called, its tags, and whether it is put away.
         */
        post: operations["label_record"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/scenarios": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every
         * @description Every scenario, those that come with Hakoniwa first.
         */
        get: operations["list_scenarios"];
        put?: never;
        /**
         * Save
         * @description Keep a scenario of one's own, whether or not it can be played already, in place of what was there.
         */
        post: operations["save_scenario"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/scenarios/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description A scenario as it is written.
         */
        get: operations["read_scenario"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/scenarios/lint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check
         * @description What is wrong with a text, and what only looks wrong; nothing is kept.
         */
        post: operations["lint_scenario"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every
         * @description Which servers and models there are, and which of them would speak; nobody is talked to for that.
         */
        get: operations["list_servers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/examine": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Examine
         * @description Try the model that would speak: what it can do, what it cannot, what to do about that. This takes a while.
         */
        post: operations["examine_model"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/visit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Visit
         * @description What is at an address: its kind and its models, or the trouble there.
         */
        post: operations["visit_server"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description Every setting in force.
         */
        get: operations["read_settings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * AboutTime
         * @description The years and the time of life that something is about.
         */
        AboutTime: {
            /** @default unknown */
            life_stage: components["schemas"]["LifeStage"];
            /** Year End */
            year_end?: number | null;
            /** Year Start */
            year_start?: number | null;
        };
        /**
         * ActDenial
         * @description Why an act cannot be done, and what could be done instead.
         */
        ActDenial: {
            /** Instead */
            instead: components["schemas"]["PossibleAct"][];
            reason: components["schemas"]["DeniedReason"];
            /** Why */
            why: string;
        };
        /**
         * ActionDecision
         * @description What a deliberation came to: do something, leave it, or come back to it later.
         */
        ActionDecision: {
            /**
             * About
             * @default []
             */
            about: string[];
            /** Action Payload */
            action_payload?: {
                [key: string]: unknown;
            } | null;
            /** Action Type */
            action_type?: string | null;
            /**
             * Confidence
             * @default 0.5
             */
            confidence: number;
            console_delivery?: components["schemas"]["ConsoleDelivery"] | null;
            /**
             * Decision Outcome
             * @enum {string}
             */
            decision_outcome: "do_action" | "skip" | "defer";
            /** Defer Reason */
            defer_reason?: string | null;
            /** Defer Until */
            defer_until?: string | null;
            /**
             * @default {
             *       "event_ids": [],
             *       "state_ids": [],
             *       "goal_ids": []
             *     }
             */
            evidence: components["schemas"]["Evidence"];
            /**
             * Goal Updates
             * @default []
             */
            goal_updates: components["schemas"]["GoalUpdate"][];
            mood_influence: components["schemas"]["MoodInfluence"];
            /** Next Deliberation At */
            next_deliberation_at?: string | null;
            persona_influence: components["schemas"]["PersonaInfluence"];
            /**
             * Priority
             * @default 50
             */
            priority: number;
            /** Reason */
            reason: string;
        };
        /**
         * ActionIntent
         * @description What the GM read from a performance: one act, not yet judged.
         */
        ActionIntent: {
            /** @default null */
            about: components["schemas"]["Fact"] | null;
            /**
             * Destination
             * @default null
             */
            destination: string | null;
            /**
             * Detail
             * @default null
             */
            detail: string | null;
            /**
             * Instrument
             * @default null
             */
            instrument: string | null;
            intent: components["schemas"]["IntentKind"];
            /**
             * On Top
             * @default false
             */
            on_top: boolean;
            /**
             * Source
             * @default null
             */
            source: string | null;
            /**
             * Sure
             * @default true
             */
            sure: boolean;
            /**
             * Target
             * @default null
             */
            target: string | null;
            /**
             * Verb
             * @default null
             */
            verb: string | null;
        };
        /**
         * ActivityNews
         * @description What the persona is up to, in nobody's voice.
         */
        ActivityNews: {
            /** Action Type */
            action_type: string | null;
            /** Agent Job Id */
            agent_job_id: string | null;
            /** Backend */
            backend: string | null;
            /** Capability */
            capability: string | null;
            /** Decision Id */
            decision_id: number | null;
            /** Goal Id */
            goal_id: number | null;
            /** Intent Id */
            intent_id: number | null;
            /**
             * Phase
             * @enum {string}
             */
            phase: "decision" | "intent" | "run" | "result" | "voice";
            /** Result Id */
            result_id: number | null;
            /** Result Status */
            result_status: ("success" | "partial" | "failed" | "no_effect" | "unknown") | null;
            /**
             * State
             * @enum {string}
             */
            state: "dropped" | "deferred" | "running" | "completed" | "failed" | "withheld";
            /** Summary Text */
            summary_text: string | null;
        };
        /**
         * ActRequest
         * @description What the user says and does as one of the people, or the tag of a possible act.
         *
         *     A line that can be read in two ways is not played before it comes again: with `confirm`, or in other words.
         */
        ActRequest: {
            /**
             * Branch
             * @default main
             */
            branch: string;
            /**
             * Confirm
             * @default false
             */
            confirm: boolean;
            /** Text */
            text: string;
            /** Who */
            who: string;
        };
        /**
         * ActResult
         * @description What came of a line: a turn, and its `denial` if it cannot be done; or a question, and nothing has happened.
         */
        ActResult: {
            denial?: components["schemas"]["ActDenial"] | null;
            /**
             * Lines
             * @default []
             */
            lines: components["schemas"]["ScriptLine"][];
            question?: components["schemas"]["LineReading"] | null;
            /** Seq */
            seq: number | null;
            /** Turn */
            turn: number;
        };
        /**
         * Affect
         * @description How an event felt: the words for it and the numbers.
         */
        Affect: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            /**
             * Confidence
             * @default 1
             */
            confidence: number;
            /**
             * Labels
             * @default []
             */
            labels: string[];
            /** Seq */
            seq: number;
            /** Text */
            text?: string | null;
            vad: components["schemas"]["Vad"];
        };
        /**
         * Affordance
         * @description Something a prop lets you do, as data.
         */
        Affordance: {
            /** @default null */
            after: components["schemas"]["LaterEffect"] | null;
            /**
             * Becomes
             * @default []
             */
            becomes: string[];
            /**
             * Consumes
             * @default false
             */
            consumes: boolean;
            /**
             * Makes
             * @default {}
             */
            makes: {
                [key: string]: components["schemas"]["UnplacedProp"];
            };
            /**
             * Needs
             * @default []
             */
            needs: string[];
            /**
             * Needs Elsewhere
             * @default null
             */
            needs_elsewhere: {
                [key: string]: string;
            } | null;
            /**
             * Posture
             * @default null
             */
            posture: string | null;
            /**
             * Requires
             * @default []
             */
            requires: string[];
            /**
             * Status
             * @default []
             */
            status: string[];
            /**
             * Told
             * @default null
             */
            told: string | null;
            /** Verb */
            verb: string;
        };
        /** AnswerChoice */
        AnswerChoice: {
            /**
             * Finish Reason
             * @default stop
             * @constant
             */
            finish_reason: "stop";
            /**
             * Index
             * @default 0
             * @constant
             */
            index: 0;
            /** Logprobs */
            logprobs?: null;
            message: components["schemas"]["AnswerMessage"];
        };
        /**
         * AnswerDone
         * @description The exchange is in the journal, and in memory.
         */
        AnswerDone: {
            /** Seq */
            seq: number;
            /** Turn */
            turn: number;
        };
        AnswerEvents: {
            done: components["schemas"]["AnswerDone"];
            fault: components["schemas"]["Problem"];
            piece: components["schemas"]["AnswerPiece"];
            recall: components["schemas"]["RecallSummary"];
        };
        /** AnswerMessage */
        AnswerMessage: {
            /** Content */
            content: string;
            /** Refusal */
            refusal?: null;
            /**
             * Role
             * @default assistant
             * @constant
             */
            role: "assistant";
        };
        /**
         * AnswerPiece
         * @description A piece of the answer.
         */
        AnswerPiece: {
            /** Text */
            text: string;
        };
        /**
         * Arm
         * @description The four conditions: Inject × GM.
         * @enum {string}
         */
        Arm: "A" | "B" | "C" | "D";
        /**
         * ArmMean
         * @description One arm in one measure, as a number with its interval and in words.
         */
        ArmMean: {
            arm: components["schemas"]["Arm"];
            /** High */
            high: number | null;
            /** Interval */
            interval: string;
            /** Low */
            low: number | null;
            /** Mean */
            mean: number | null;
            /** Told */
            told: string;
        };
        /**
         * AttentionTarget
         * @description One thing that has somebody's attention, and since when.
         */
        AttentionTarget: {
            /** Type */
            type: string;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Value */
            value: string;
            /** Weight */
            weight: number;
        };
        /**
         * AutonomyView
         * @description How things stand, and whether this server looks after those who live by themselves.
         */
        AutonomyView: {
            actions: components["schemas"]["DailyUse"];
            /**
             * Care
             * @enum {string}
             */
            care: "elsewhere" | "waiting" | "working" | "impossible";
            /** Clock Ahead */
            clock_ahead: number;
            /** Due */
            due: components["schemas"]["Trigger"][];
            /** Hindrance */
            hindrance: string | null;
            messages: components["schemas"]["DailyUse"];
            /** Next Heartbeat */
            next_heartbeat: string | null;
            /**
             * Now
             * Format: date-time
             */
            now: string;
            /** On */
            on: boolean;
            /** Paused */
            paused: boolean;
            /** Paused Until */
            paused_until: string | null;
            /** Under Way */
            under_way: components["schemas"]["OpenFlow"][];
            /** Waiting */
            waiting: components["schemas"]["Trigger"][];
        };
        /** BelievedPerson */
        BelievedPerson: {
            believed: components["schemas"]["PersonState"];
            /** Right */
            right: boolean;
            so: components["schemas"]["PersonState"];
            /** Who */
            who: string;
        };
        /**
         * BelievedThing
         * @description A thing as somebody last perceived it, at `turn`, against the truth; one that is gone is nowhere.
         */
        BelievedThing: {
            believed: components["schemas"]["ThingState"];
            /** Name */
            name: string;
            /** Right */
            right: boolean;
            so: components["schemas"]["ThingState"] | null;
            /** Turn */
            turn: number;
        };
        /**
         * Bond
         * @description What somebody feels for somebody: how far they trust and like them, and what they owe them.
         */
        Bond: {
            /**
             * Debt
             * @default 0
             */
            debt: number;
            /**
             * Trust
             * @default 0.3
             */
            trust: number;
            /**
             * Warmth
             * @default 0
             */
            warmth: number;
        };
        /**
         * Branch
         * @description One line of play: where its newest row is, and the branch and turn it was forked from.
         */
        Branch: {
            /** Head */
            head: number | null;
            /** Name */
            name: string;
            /** Parent */
            parent: string | null;
            /** Turn */
            turn: number;
        };
        /**
         * BranchComparison
         * @description Two branches: the last row and turn that both have, how far each has come, and how they differ now.
         */
        BranchComparison: {
            /** Differences */
            differences: components["schemas"]["Difference"][];
            one: components["schemas"]["BranchSide"];
            other: components["schemas"]["BranchSide"];
            /** Seq */
            seq: number | null;
            /** Turn */
            turn: number;
        };
        /**
         * BranchPosition
         * @description Where a line of play has got to; nothing is there before the first exchange.
         */
        BranchPosition: {
            /** Seq */
            seq: number | null;
            /** Turn */
            turn: number;
        };
        /**
         * BranchRequest
         * @description A request about one line of play.
         */
        BranchRequest: {
            /**
             * Branch
             * @default main
             */
            branch: string;
        };
        /**
         * BranchSide
         * @description How far a branch has come since they parted.
         */
        BranchSide: {
            /** Branch */
            branch: string;
            /** Ended */
            ended: string | null;
            /** Rows */
            rows: number;
            /** Turn */
            turn: number;
        };
        /**
         * BranchView
         * @description A line of play: where it was forked off, how far it has come, and whether it is an earlier take of a turn.
         */
        BranchView: {
            /** At */
            at: string | null;
            /** Forked At */
            forked_at: number;
            /** Head */
            head: number | null;
            /** Name */
            name: string;
            /** Parent */
            parent: string | null;
            /** Running */
            running: boolean;
            take: components["schemas"]["TakeOf"] | null;
            /** Turn */
            turn: number;
        };
        /**
         * CallView
         * @description A call to a model: what was asked, as it was sent, what came and what it took; `undone` if it came to nothing.
         *
         *     Its `usage` says how much of the prompt the server still had, where it does.
         */
        CallView: {
            /** Chars Per Token */
            chars_per_token?: number | null;
            /** Fault */
            fault?: string | null;
            /** First Ms */
            first_ms?: number | null;
            /** Max Tokens */
            max_tokens: number;
            /** Messages */
            messages: components["schemas"]["Message"][];
            /** Model */
            model: string;
            /** Purpose */
            purpose: string;
            /** Recorded At */
            recorded_at: string;
            /**
             * Reply
             * @default
             */
            reply: string;
            /**
             * Total Ms
             * @default 0
             */
            total_ms: number;
            /**
             * Tries
             * @default 1
             */
            tries: number;
            /** Undone */
            undone: boolean;
            /**
             * @default {
             *       "tries": 1
             *     }
             */
            usage: components["schemas"]["Usage"];
            /** Warning */
            warning?: string | null;
        };
        /** Camera */
        Camera: {
            /** Current */
            current: string;
        };
        /**
         * Candidate
         * @description Something that might be called to mind: what it is, which sources found it at which place, and how it ranks.
         */
        Candidate: {
            /**
             * @default {
             *       "life_stage": "unknown"
             *     }
             */
            about: components["schemas"]["AboutTime"];
            /**
             * At
             * Format: date-time
             */
            at: string;
            /**
             * Cues
             * @default []
             */
            cues: string[];
            /**
             * Entities
             * @default []
             */
            entities: components["schemas"]["Entity"][];
            /** Key */
            key: number;
            kind?: components["schemas"]["StateKind"] | null;
            /** Ranks */
            ranks?: {
                [key: string]: number;
            };
            /**
             * Score
             * @default 0
             */
            score: number;
            source?: components["schemas"]["MemorySource"] | null;
            /** Text */
            text: string;
            /**
             * Threads
             * @default []
             */
            threads: string[];
            /**
             * Touches
             * @default []
             */
            touches: string[];
            /**
             * Type
             * @enum {string}
             */
            type: "event" | "state" | "event_affect";
        };
        /**
         * CardFile
         * @description A card to be made a sheet of: its bytes in base64, a name for the sheet, and who `{{user}}` on it is.
         */
        CardFile: {
            /** Data */
            data: string;
            /** Name */
            name?: string | null;
            /**
             * Replace
             * @default false
             */
            replace: boolean;
            /**
             * User
             * @default
             */
            user: string;
        };
        /**
         * ChangeResult
         * @description Where the line stands after what was done, and what the script has of it; nothing was if it was taken back.
         */
        ChangeResult: {
            /**
             * Lines
             * @default []
             */
            lines: components["schemas"]["ScriptLine"][];
            /** Seq */
            seq: number | null;
            /** Turn */
            turn: number;
        };
        ChatEvents: {
            "autonomy.activity": components["schemas"]["ActivityNews"];
            "autonomy.control": components["schemas"]["ControlNews"];
            "autonomy.message": components["schemas"]["MessageNews"];
            exchange: components["schemas"]["ExchangeNews"];
            hello: components["schemas"]["Hello"];
            reset: components["schemas"]["Reset"];
            undo: components["schemas"]["TakenBack"];
        };
        /**
         * ChatExchange
         * @description What was said by either side; `fault` names what kept an answer from being whole, `run` what came to mind for it.
         *
         *     What the persona said of its own accord has a `delivery_mode`, which sets a notice apart from the talk.
         */
        ChatExchange: {
            /** Assistant Text */
            assistant_text: string | null;
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Delivery Mode */
            delivery_mode: ("silent" | "activity_only" | "notify" | "chat") | null;
            /** Fault */
            fault: string | null;
            /** Run */
            run: number | null;
            /** Seq */
            seq: number;
            source: components["schemas"]["MemorySource"];
            /** User Text */
            user_text: string | null;
        };
        /**
         * ChatSummary
         * @description One conversation in a list; `turn` and `at` are those of the newest row of its line on `main`. Takes are no
         *     `branches`.
         *
         *     `garden` is whose person it is with, if it is with one: that is the line of the garden, and its branches.
         *     `portrait` is the sheet whose picture the persona has, `look` the face that is drawn of them otherwise, `me` the
         *     name of the persona the user is.
         */
        ChatSummary: {
            /**
             * Archived
             * @default false
             */
            archived: boolean;
            /** At */
            at: string | null;
            /** Branches */
            branches: string[];
            /** Garden */
            garden?: string | null;
            /** Id */
            id: string;
            /** Look */
            look: string;
            /** Me */
            me?: string | null;
            /** Name */
            name: string;
            /** Persona */
            persona: string;
            /** Portrait */
            portrait?: string | null;
            /**
             * Tags
             * @default []
             */
            tags: string[];
            /**
             * Title
             * @default
             */
            title: string;
            /** Turn */
            turn: number;
        };
        /**
         * ChatView
         * @description A conversation on one line of play, oldest exchange first; `before` asks for what came before these.
         *
         *     `answering` is what the user said if that is being answered now.
         */
        ChatView: {
            /** Answering */
            answering?: string | null;
            /** Before */
            before: number | null;
            /** Branch */
            branch: string;
            /** Garden */
            garden?: string | null;
            /** History */
            history: components["schemas"]["ChatExchange"][];
            /** Id */
            id: string;
            persona: components["schemas"]["Persona"];
            /** Turn */
            turn: number;
        };
        /**
         * ChooseRequest
         * @description An earlier take to go on from, by the name of its branch.
         */
        ChooseRequest: {
            /**
             * Branch
             * @default main
             */
            branch: string;
            /** Take */
            take: string;
        };
        /**
         * ClaimView
         * @description What somebody was told: by whom, at which turn, through how many mouths, and how far they believe it.
         */
        ClaimView: {
            /** Confidence */
            confidence: number;
            fact: components["schemas"]["Fact"];
            /** False */
            false: boolean;
            /** Hops */
            hops: number;
            /** Source */
            source: string;
            /** Text */
            text: string;
            /** Turn */
            turn: number;
        };
        /**
         * ClientMessage
         * @description One message of the history that a client brings.
         */
        ClientMessage: {
            /** Content */
            content?: string | components["schemas"]["MessagePart"][] | null;
            /**
             * Role
             * @enum {string}
             */
            role: "system" | "developer" | "user" | "assistant" | "tool" | "function";
        };
        /**
         * ClockRequest
         * @description How the chat's clock is moved: first back to the world's time, if so, then on by so many seconds.
         */
        ClockRequest: {
            /**
             * Advance
             * @default 0
             */
            advance: number;
            /**
             * Branch
             * @default main
             */
            branch: string;
            /**
             * Reset
             * @default false
             */
            reset: boolean;
        };
        /**
         * ClockTime
         * @description What time it is in the chat, and by how many seconds that is ahead of the world's.
         */
        ClockTime: {
            /** Clock Ahead */
            clock_ahead: number;
            /**
             * Now
             * Format: date-time
             */
            now: string;
        };
        /**
         * CompareRequest
         * @description Something to be heard by two: whose memory it is, and the persona of any sheet.
         */
        CompareRequest: {
            /**
             * Branch
             * @default main
             */
            branch: string;
            /** Persona */
            persona: string;
            /** Text */
            text: string;
        };
        /**
         * Completion
         * @description An answer in one piece.
         */
        Completion: {
            /** Choices */
            choices: components["schemas"]["AnswerChoice"][];
            /** Created */
            created: number;
            /** Id */
            id: string;
            /** Model */
            model: string;
            /**
             * Object
             * @default chat.completion
             * @constant
             */
            object: "chat.completion";
            usage: components["schemas"]["TokenCount"];
        };
        /**
         * CompletionRequest
         * @description A question to a character or a garden. How words are drawn is a matter of the settings: fields for that, and
         *     fields that are not known, are ignored. `user` tells conversations with one character apart.
         */
        CompletionRequest: {
            /** Functions */
            functions?: unknown[] | null;
            /** Logprobs */
            logprobs?: boolean | null;
            /** Messages */
            messages: components["schemas"]["ClientMessage"][];
            /** Modalities */
            modalities?: string[] | null;
            /** Model */
            model: string;
            /** N */
            n?: number | null;
            response_format?: components["schemas"]["ResponseFormat"] | null;
            /** Stream */
            stream?: boolean | null;
            stream_options?: components["schemas"]["StreamOptions"] | null;
            /** Tools */
            tools?: unknown[] | null;
            /** User */
            user?: string | null;
        };
        /**
         * Connection
         * @description Who is to speak. Without a key the one that is kept stays, if the address does; an empty one is taken away.
         */
        Connection: {
            /** Api Key */
            api_key?: string | null;
            /**
             * Base Url
             * @default
             */
            base_url: string;
            /**
             * Model
             * @default auto
             */
            model: string;
            /**
             * @default {
             *       "preset": "auto"
             *     }
             */
            sampling: components["schemas"]["Sampling"];
            /**
             * Tokens Per Hour
             * @default 0
             */
            tokens_per_hour: number;
            /**
             * Tokens Per Session
             * @default 0
             */
            tokens_per_session: number;
        };
        /**
         * ConnectionView
         * @description The connection in force, and of the key only whether there is one. `fixed` are the settings that the environment
         *     says, and `kept` is whether a change can be written down.
         */
        ConnectionView: {
            /** Base Url */
            base_url: string;
            /** Fixed */
            fixed: string[];
            /** Has Key */
            has_key: boolean;
            /** Kept */
            kept: boolean;
            /** Model */
            model: string;
            sampling: components["schemas"]["Sampling"];
            /** Tokens Per Hour */
            tokens_per_hour: number;
            /** Tokens Per Session */
            tokens_per_session: number;
        };
        /**
         * ConsoleDelivery
         * @description How much of an action people get to see, and in what tone.
         */
        ConsoleDelivery: {
            /**
             * Message Kind
             * @default report
             * @enum {string}
             */
            message_kind: "report" | "progress" | "question" | "error";
            /**
             * On Complete
             * @default activity_only
             * @enum {string}
             */
            on_complete: "silent" | "activity_only" | "notify" | "chat";
            /**
             * On Fail
             * @default activity_only
             * @enum {string}
             */
            on_fail: "silent" | "activity_only" | "notify" | "chat";
            /**
             * On Progress
             * @default activity_only
             * @enum {string}
             */
            on_progress: "silent" | "activity_only";
        };
        /**
         * ControlNews
         * @description The persona was let live, or not, or not for a while.
         */
        ControlNews: {
            /**
             * Act
             * @enum {string}
             */
            act: "start" | "stop" | "pause" | "resume";
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Until */
            until: string | null;
        };
        /**
         * CueRequest
         * @description Who is to speak next, to keep silent or not any more, or to have every turn; `unpin` needs nobody.
         */
        CueRequest: {
            /**
             * Branch
             * @default main
             */
            branch: string;
            /**
             * Cue
             * @enum {string}
             */
            cue: "next" | "mute" | "unmute" | "pin" | "unpin";
            /** Who */
            who?: string | null;
        };
        /**
         * DailyUse
         * @description How much of something was used up within a day, and how much there is of it; a `limit` of 0 means any amount.
         */
        DailyUse: {
            /** Limit */
            limit: number;
            /** Used */
            used: number;
        };
        /**
         * Deed
         * @description An act that should be done: a verb of the language pack, on one of these things (none named: on anything).
         */
        Deed: {
            /**
             * Destination
             * @default []
             */
            destination: string[];
            /**
             * Target
             * @default []
             */
            target: string[];
            /** Verb */
            verb: string;
        };
        /**
         * DeletionRequest
         * @description A garden or a chat is to be deleted, which its user has been told all about and means.
         */
        DeletionRequest: {
            /**
             * Confirm
             * @constant
             */
            confirm: true;
        };
        /**
         * DeliberationRecord
         * @description One deliberation, what could have been done, and what came of it: `dropped` says why nothing did, `untold` why
         *     nothing was said of it.
         */
        DeliberationRecord: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            decision: components["schemas"]["ActionDecision"] | null;
            /** Decision Id */
            decision_id: number;
            /** Delivery Mode */
            delivery_mode: ("silent" | "activity_only" | "notify" | "chat") | null;
            /** Dropped */
            dropped: string | null;
            /** Message */
            message: string | null;
            /** Offered */
            offered: string[];
            /** Result Status */
            result_status: ("success" | "partial" | "failed" | "no_effect" | "unknown") | null;
            trigger: components["schemas"]["Trigger"];
            /** Untold */
            untold: string | null;
        };
        /**
         * DeniedReason
         * @description Why an act cannot be, in the order in which one reason wins over another.
         * @enum {string}
         */
        DeniedReason: "AMBIGUOUS_ACTION" | "OUT_OF_SCOPE" | "MISSING_OBJECT" | "WRONG_LOCATION" | "NOT_OWNED" | "INVALID_STATE" | "CONTRADICTS_WORLD" | "RATE_LIMITED";
        /**
         * Desire
         * @description Something a character wants; it competes by strength × urgency × weight. `by`: who has asked for it.
         */
        Desire: {
            /**
             * By
             * @default
             */
            by: string;
            /**
             * @default {
             *       "state": {},
             *       "placed": {}
             *     }
             */
            goal: components["schemas"]["Goal"];
            /**
             * Grows
             * @default 0.05
             */
            grows: number;
            /**
             * Kind
             * @enum {string}
             */
            kind: "body" | "safety" | "company" | "esteem" | "curiosity" | "duty" | "gain";
            /** Name */
            name: string;
            /**
             * Once
             * @default false
             */
            once: boolean;
            /**
             * Strength
             * @default 0.5
             */
            strength: number;
            /**
             * Term
             * @default short
             * @enum {string}
             */
            term: "short" | "long";
            /**
             * Thoughts
             * @default []
             */
            thoughts: string[];
            /**
             * Urgency
             * @default 0.3
             */
            urgency: number;
        };
        /**
         * DesireView
         * @description A desire as it stands: what it counts for is strength times urgency times weight, unless it rests.
         */
        DesireView: {
            /** Kind */
            kind: string;
            /** Name */
            name: string;
            /** Resting Until */
            resting_until: number | null;
            /** Score */
            score: number;
            /** Strength */
            strength: number;
            /** Urgency */
            urgency: number;
            /** Weight */
            weight: number;
        };
        /**
         * Difference
         * @description Something that is one way here and another there; what is not in a world at all is null there.
         */
        Difference: {
            /** Field */
            field: string;
            /** Name */
            name: string;
            /** One */
            one: string | string[] | null;
            /** Other */
            other: string | string[] | null;
            /**
             * Sort
             * @enum {string}
             */
            sort: "person" | "thing" | "sky";
        };
        /**
         * Digest
         * @description A while in short: what was done, oldest first, how often it was thought better of, and what was held back.
         */
        Digest: {
            /** Considered */
            considered: number;
            /** Deeds */
            deeds: components["schemas"]["DigestEntry"][];
            /** Left */
            left: number;
            /**
             * Since
             * Format: date-time
             */
            since: string;
            /**
             * Until
             * Format: date-time
             */
            until: string;
        };
        /**
         * DigestEntry
         * @description One thing that was done, how it ended, and what the persona said of it, if anything.
         */
        DigestEntry: {
            /** Action Type */
            action_type: string;
            /** Asked */
            asked: {
                [key: string]: unknown;
            };
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Delivery Mode */
            delivery_mode?: ("silent" | "activity_only" | "notify" | "chat") | null;
            /** Message */
            message?: string | null;
            /** Message Kind */
            message_kind?: ("report" | "progress" | "question" | "error") | null;
            /**
             * Result Status
             * @enum {string}
             */
            result_status: "success" | "partial" | "failed" | "no_effect" | "unknown";
        };
        /**
         * Diversify
         * @description How to keep one time of life from filling the whole list.
         */
        Diversify: {
            /**
             * By
             * @default [
             *       "life_stage",
             *       "about_year_bucket"
             *     ]
             */
            by: ("life_stage" | "about_year_bucket")[];
            /**
             * Per Bucket
             * @default 5
             */
            per_bucket: number;
        };
        /**
         * Draft
         * @description What somebody is in the middle of saying; nothing of it has happened yet. Another `number`, another text.
         */
        Draft: {
            /**
             * Number
             * @default 0
             */
            number: number;
            /** Phase */
            phase?: ("think" | "perform" | "retake") | null;
            /**
             * Take
             * @default 1
             */
            take: number;
            /**
             * Text
             * @default
             */
            text: string;
            /**
             * Turn
             * @default 0
             */
            turn: number;
            /** Who */
            who?: string | null;
        };
        /**
         * DropRequest
         * @description A thing to bring in: into a room, in or on another thing, or where the camera is.
         */
        DropRequest: {
            /**
             * Branch
             * @default main
             */
            branch: string;
            /** Name */
            name: string;
            /** Place */
            place?: string | null;
        };
        /**
         * EditRequest
         * @description Other words for a turn, in the form in which a character performs; without a number, for the last one.
         */
        EditRequest: {
            /**
             * Branch
             * @default main
             */
            branch: string;
            /** Text */
            text: string;
            /** Turn */
            turn?: number | null;
        };
        /**
         * EmptyRequest
         * @description A request that needs to say nothing.
         */
        EmptyRequest: Record<string, never>;
        /**
         * Entity
         * @description Somebody or something that an event or a state is about.
         */
        Entity: {
            /**
             * Confidence
             * @default 1
             */
            confidence: number;
            /** Name */
            name: string;
            type: components["schemas"]["EntityType"];
        };
        /**
         * EntityType
         * @enum {string}
         */
        EntityType: "person" | "org" | "place" | "project" | "tool";
        /**
         * Evaluation
         * @description The Director's opinion of a line.
         */
        Evaluation: {
            /**
             * Action
             * @default NOOP
             */
            action: string;
            /**
             * Checks Failed
             * @default []
             */
            checks_failed: string[];
            /**
             * Checks Passed
             * @default []
             */
            checks_passed: string[];
            /**
             * Findings
             * @default []
             */
            findings: components["schemas"]["Finding"][];
            /** Next Instruction */
            next_instruction?: string | null;
            /** Note */
            note?: string | null;
            /**
             * Reason
             * @default
             */
            reason: string;
            score?: components["schemas"]["FiveAxes"] | null;
            /** @default PASS */
            status: components["schemas"]["Status"];
            /**
             * Suggestion
             * @default
             */
            suggestion: string;
        };
        /**
         * EventTrace
         * @description One event and everything that hangs on it.
         */
        EventTrace: {
            affect?: components["schemas"]["Affect"] | null;
            /**
             * Links
             * @default []
             */
            links: components["schemas"]["MemoryLink"][];
            memory: components["schemas"]["Memory"];
            /**
             * Revisions
             * @default []
             */
            revisions: components["schemas"]["Revision"][];
        };
        /**
         * Evidence
         * @description What a decision rests on.
         */
        Evidence: {
            /**
             * Event Ids
             * @default []
             */
            event_ids: number[];
            /**
             * Goal Ids
             * @default []
             */
            goal_ids: number[];
            /**
             * State Ids
             * @default []
             */
            state_ids: number[];
        };
        /**
         * ExchangeDeletion
         * @description An exchange to be taken out of the conversation.
         */
        ExchangeDeletion: {
            /**
             * Branch
             * @default main
             */
            branch: string;
            /** Seq */
            seq: number;
        };
        /**
         * ExchangeEdit
         * @description Other words for what either side said in an exchange; a side that is left out keeps its own.
         */
        ExchangeEdit: {
            /** Assistant Text */
            assistant_text?: string | null;
            /**
             * Branch
             * @default main
             */
            branch: string;
            /** Seq */
            seq: number;
            /** User Text */
            user_text?: string | null;
        };
        /**
         * ExchangeNews
         * @description Somebody talked with the persona.
         */
        ExchangeNews: {
            /** Seq */
            seq: number;
            /** Turn */
            turn: number;
        };
        /**
         * ExchangeTake
         * @description One way in which the newest exchange went, by its number from 1 on; `branch` is where it is kept.
         */
        ExchangeTake: {
            /** Branch */
            branch?: string | null;
            /** Current */
            current: boolean;
            /** Number */
            number: number;
            /** Text */
            text: string | null;
        };
        /**
         * Exit
         * @description A way into another room, perhaps through a door prop.
         */
        Exit: {
            /**
             * Via
             * @default null
             */
            via: string | null;
        };
        /**
         * ExitView
         * @description A way out of a room, and the door it goes through if there is one.
         */
        ExitView: {
            /** To */
            to: string;
            /** Via */
            via: string | null;
        };
        /**
         * ExperimentSummary
         * @description One experiment in a list: what it is made of, and how far it is. `left` is a guess in seconds.
         */
        ExperimentSummary: {
            /** Arms */
            arms: components["schemas"]["Arm"][];
            /** Crashed */
            crashed: number;
            /** Done */
            done: number;
            /** Left */
            left: number | null;
            /** Models */
            models: string[];
            /** Name */
            name: string;
            /**
             * Profile
             * @enum {string}
             */
            profile: "dev" | "gate" | "full";
            /** Reported */
            reported: boolean;
            /** Scenarios */
            scenarios: string[];
            /** Seeds */
            seeds: number;
            /**
             * State
             * @enum {string}
             */
            state: "running" | "stopped" | "done";
            /** Total */
            total: number;
        };
        /**
         * ExperimentView
         * @description An experiment, and what it came to once it is done.
         */
        ExperimentView: {
            /** Panels */
            panels: components["schemas"]["PanelView"][];
            summary: components["schemas"]["ExperimentSummary"];
        };
        /**
         * Explanation
         * @description Why an act was denied, and what could be done instead.
         */
        Explanation: {
            /**
             * Held By
             * @default null
             */
            held_by: string | null;
            /**
             * Instead
             * @default []
             */
            instead: string[];
            reason: components["schemas"]["DeniedReason"];
            /**
             * Resolved
             * @default null
             */
            resolved: string | null;
            /** Rule */
            rule: string;
            /**
             * Told
             * @default
             */
            told: string;
            /**
             * Where
             * @default null
             */
            where: string | null;
            /**
             * Why
             * @default
             */
            why: string;
            /**
             * Written
             * @default null
             */
            written: string | null;
        };
        /**
         * Fact
         * @description What may be told, as subject, relation and object; `turn` is when it was so. Without an object it is asked.
         */
        Fact: {
            /**
             * Object
             * @default null
             */
            object: string | null;
            /**
             * Relation
             * @enum {string}
             */
            relation: "at" | "in" | "on" | "held by" | "state" | "did" | "said";
            /** Subject */
            subject: string;
            /**
             * Turn
             * @default null
             */
            turn: number | null;
        };
        /**
         * Figure
         * @description A character's body in the world.
         */
        Figure: {
            /**
             * Aliases
             * @default []
             */
            aliases: string[];
            /**
             * Hands
             * @default 2
             */
            hands: number;
            /**
             * Holding
             * @default []
             */
            holding: string[];
            /** Location */
            location: string;
            /**
             * Posture
             * @default null
             */
            posture: string | null;
            /**
             * Status
             * @default []
             */
            status: string[];
        };
        /**
         * FileContents
         * @description What goes along in a file, and what stays at home, as counts.
         */
        FileContents: {
            /** Branches */
            branches: string[];
            /** People */
            people: string[];
            /** Private Rows */
            private_rows: number;
            /** Rows */
            rows: number;
            /** Turns */
            turns: number;
            /** User Lines */
            user_lines: number;
        };
        /**
         * Finding
         * @description One fault that a check found.
         */
        Finding: {
            /** Check */
            check: string;
            /**
             * Form
             * @default
             */
            form: string;
            /**
             * Other
             * @default
             */
            other: string;
            /** Rule */
            rule: string;
            status: components["schemas"]["Status"];
        };
        /**
         * FindingView
         * @description One thing the doctor found, and what to do about it; nothing where nothing is to be done.
         */
        FindingView: {
            /** About */
            about: string;
            /** Fix */
            fix: string;
            /**
             * Grade
             * @enum {string}
             */
            grade: "ok" | "info" | "warn" | "problem";
            /** Key */
            key: string;
            /** Told */
            told: string;
        };
        /**
         * FiveAxes
         * @description A model's score of a line, each axis 0 to 1.
         */
        FiveAxes: {
            /** Character Consistency */
            character_consistency: number;
            /** Concreteness */
            concreteness: number;
            /** Naturalness */
            naturalness: number;
            /** Relationship Quality */
            relationship_quality: number;
            /** Topic Novelty */
            topic_novelty: number;
        };
        /**
         * Flaw
         * @description What is wrong, or only looks wrong, and where: in the text itself, or in a sheet that it names.
         */
        Flaw: {
            /** Column */
            column: number;
            /** File */
            file: string;
            /**
             * Grade
             * @enum {string}
             */
            grade: "error" | "warning";
            /** Key */
            key: string;
            /** Line */
            line: number;
            /** Message */
            message: string;
        };
        /**
         * ForeignFile
         * @description A file of another program: its bytes in base64, the sheet it is about, and what you are called in it.
         */
        ForeignFile: {
            /** Call Me */
            call_me?: string | null;
            /** Data */
            data: string;
            /** Sheet */
            sheet?: string | null;
        };
        /**
         * ForgetRequest
         * @description Events to purge, for good.
         */
        ForgetRequest: {
            /**
             * Branch
             * @default main
             */
            branch: string;
            /** Events */
            events: number[];
        };
        /**
         * ForgetResult
         * @description What a purge removed; `rows` and `calls` are the journal's own, `copies` were made before an upgrade, `traces`
         *     says that something had to stay for now because somebody else was using it.
         */
        ForgetResult: {
            /**
             * Affects
             * @default 0
             */
            affects: number;
            /**
             * Calls
             * @default 0
             */
            calls: number;
            /**
             * Copies
             * @default 0
             */
            copies: number;
            /**
             * Events
             * @default 0
             */
            events: number;
            /**
             * Goals
             * @default 0
             */
            goals: number;
            /**
             * Links
             * @default 0
             */
            links: number;
            /**
             * Preferences
             * @default 0
             */
            preferences: number;
            /**
             * Revisions
             * @default 0
             */
            revisions: number;
            /**
             * Rows
             * @default 0
             */
            rows: number;
            /**
             * Runs
             * @default 0
             */
            runs: number;
            /**
             * Snapshots
             * @default 0
             */
            snapshots: number;
            /**
             * States
             * @default 0
             */
            states: number;
            /**
             * Traces
             * @default false
             */
            traces: boolean;
            /**
             * Vectors
             * @default 0
             */
            vectors: number;
            /**
             * Works
             * @default 0
             */
            works: number;
            /**
             * World Model Items
             * @default 0
             */
            world_model_items: number;
        };
        /**
         * ForkRequest
         * @description Another line of play, from the end of a turn on, or from now.
         */
        ForkRequest: {
            /**
             * Branch
             * @default main
             */
            branch: string;
            /** Name */
            name: string;
            /** Turn */
            turn?: number | null;
        };
        /**
         * FoundLine
         * @description Where something was said: in which garden or chat, on which branch, and the words around it.
         */
        FoundLine: {
            /** Branch */
            branch: string;
            /** Excerpt */
            excerpt: string;
            /** Id */
            id: string;
            /**
             * Kind
             * @enum {string}
             */
            kind: "garden" | "chat";
            /** Seq */
            seq: number;
            /** Title */
            title: string;
            /** Turn */
            turn: number;
        };
        GardenEvents: {
            fault: components["schemas"]["Problem"];
            hello: components["schemas"]["Hello"];
            pace: components["schemas"]["Pace"];
            piece: components["schemas"]["PieceNews"];
            reset: components["schemas"]["Reset"];
            row: components["schemas"]["RowNews"];
            speaking: components["schemas"]["SpeakingNews"];
        };
        /**
         * GardenListItem
         * @description One garden in a list; `turn`, `at` and `ended` are those of the branch that was played last.
         */
        GardenListItem: {
            /**
             * Archived
             * @default false
             */
            archived: boolean;
            /** At */
            at: string | null;
            /** Branch */
            branch: string;
            /** Branches */
            branches: string[];
            /** Ended */
            ended: boolean;
            /** Id */
            id: string;
            /** Language */
            language: string;
            /**
             * Running
             * @default []
             */
            running: string[];
            /** Scenario */
            scenario: string;
            /** Seed */
            seed: number;
            /**
             * Tags
             * @default []
             */
            tags: string[];
            /** Title */
            title: string;
            /** Turn */
            turn: number;
        };
        /**
         * GardenView
         * @description A garden on one line of play, as it was at the end of a turn or is now; `pace`, `speaking` and `model` are now's.
         *
         *     `room` is where the camera is, `changed` the people and things that this turn did something to,
         *     `said` what was spoken in it.
         */
        GardenView: {
            /** Branch */
            branch: string;
            /** Changed */
            changed: string[];
            /** Cued */
            cued: string | null;
            /** Description */
            description: string;
            /** Ended */
            ended: string | null;
            /** Head */
            head: number | null;
            /** Id */
            id: string;
            /** Incidents */
            incidents: components["schemas"]["IncidentView"][];
            /** Language */
            language: string;
            /** Model */
            model: string | null;
            /** Muted */
            muted: string[];
            /** Newest */
            newest: number;
            /** Next Scenario */
            next_scenario: string | null;
            /** Next Speaker */
            next_speaker: string;
            pace: components["schemas"]["Pace"];
            /** People */
            people: components["schemas"]["Person"][];
            /** Pinned */
            pinned: string | null;
            /** Room */
            room: string;
            /** Rooms */
            rooms: components["schemas"]["Room"][];
            said: components["schemas"]["Saying"] | null;
            /** Scenario */
            scenario: string;
            /** Seed */
            seed: number;
            sky: components["schemas"]["TimeAndWeather"];
            speaking: components["schemas"]["Draft"];
            /** Stall */
            stall: number;
            /** Things */
            things: components["schemas"]["Thing"][];
            /** Title */
            title: string;
            /** Turn */
            turn: number;
        };
        /**
         * GardenWhy
         * @description A turn with all that stands behind it; `operation` is how the next speaker was found, and `changes` are
         *     everything that happened to the world in it.
         *
         *     What ends in `_told` says the same in people's words; `chosen_because` is why no stronger desire was `chosen`.
         */
        GardenWhy: {
            /** Asked */
            asked: components["schemas"]["RefereeQuestions"][];
            /** Calls */
            calls: components["schemas"]["CallView"][];
            /** Changes */
            changes: components["schemas"]["PatchOp"][];
            /** Changes Told */
            changes_told: string[];
            /** Chosen */
            chosen: string | null;
            /** Chosen Because */
            chosen_because: string | null;
            /** Facts Told */
            facts_told: string[];
            operation: components["schemas"]["Operation"];
            /** Origin */
            origin: string;
            /** Policy Told */
            policy_told: string | null;
            /** Read Told */
            read_told: string[];
            /** Seq */
            seq: number;
            /** State Hash */
            state_hash: string | null;
            turn: components["schemas"]["Turn"];
            /** Witnesses */
            witnesses: string[];
        };
        /**
         * GMStepRequest
         * @description One reply of one speaker, with the world it was made in; its acts are read, or given beside it as data.
         */
        GMStepRequest: {
            /**
             * Acts
             * @description What is done, as tags or intents; then only speech is read.
             * @default null
             */
            acts: (string | components["schemas"]["ActionIntent"])[] | null;
            /**
             * Possible Acts
             * @description How many possible acts to list; true: all.
             * @default 0
             */
            possible_acts: number | boolean;
            /** Raw Output */
            raw_output: string;
            /** Session Id */
            session_id: string;
            /** Speaker */
            speaker: string;
            /** Turn Number */
            turn_number: number;
            /**
             * Unread Card
             * @description Whether a fact card tells what was not read.
             * @default false
             */
            unread_card: boolean;
            world_state: components["schemas"]["WorldState"];
        };
        /**
         * Goal
         * @description True when everything it names is true of the world (`did`, `talked`: of the character's own turn). `away`: not in
         *     the same room as somebody.
         */
        Goal: {
            /** At */
            at?: string | null;
            /** Away */
            away?: string | null;
            did?: components["schemas"]["Deed"] | null;
            /** Holding */
            holding?: string | null;
            /**
             * Placed
             * @default {}
             */
            placed: {
                [key: string]: string;
            };
            /** Seen */
            seen?: string | null;
            /**
             * State
             * @default {}
             */
            state: {
                [key: string]: string;
            };
            /** Talked */
            talked?: string | null;
        };
        /**
         * GoalUpdate
         * @description Something the persona sets out to do (no id) or words anew, gets on with, has done, or gives up. `promised`: it
         *     gave its word.
         */
        GoalUpdate: {
            /**
             * Goal Id
             * @default 0
             */
            goal_id: number;
            /**
             * Goal Type
             * @default task
             * @enum {string}
             */
            goal_type: "routine" | "research" | "task";
            /**
             * Horizon
             * @default short
             * @enum {string}
             */
            horizon: "short" | "mid" | "long";
            /**
             * Op
             * @enum {string}
             */
            op: "set" | "progress" | "done" | "drop";
            /**
             * Priority
             * @default 50
             */
            priority: number;
            /**
             * Progress
             * @default 0
             */
            progress: number;
            /**
             * Promised
             * @default false
             */
            promised: boolean;
            /** Title */
            title?: string | null;
        };
        /** Health */
        Health: {
            /**
             * Status
             * @default ok
             */
            status: string;
            /** Version */
            version: string;
        };
        /**
         * Hello
         * @description The beginning, for somebody who brings no id: all that comes after row `seq` follows.
         */
        Hello: {
            /** Seq */
            seq: number;
        };
        /**
         * Highlight
         * @description A story moment, told in the garden's own language: the pattern it is, and the turns that make it up.
         */
        Highlight: {
            /** Name */
            name: string;
            /** Title */
            title: string;
            /** Told */
            told: string;
            /** Turns */
            turns: number[];
        };
        /**
         * ImportedCard
         * @description A sheet that was made of a card, and what is to be known about it.
         */
        ImportedCard: {
            /** About */
            about: string;
            /** Display Name */
            display_name: string;
            /** Look */
            look: string;
            /** Name */
            name: string;
            /** Notes */
            notes: string[];
            /**
             * Origin
             * @enum {string}
             */
            origin: "shipped" | "own";
            /** Persona */
            persona: string;
            /** Portrait */
            portrait: boolean;
            /** Short Name */
            short_name: string;
            /** Spec */
            spec: string | null;
            /** Text */
            text: string;
        };
        /**
         * ImportedFile
         * @description What came of a file: the sheet it made or added to, the chat or garden it became, its new entries, and notes.
         */
        ImportedFile: {
            /** Chat */
            chat?: string | null;
            /**
             * Entries
             * @default 0
             */
            entries: number;
            /** Garden */
            garden?: string | null;
            /**
             * Kind
             * @enum {string}
             */
            kind: "card" | "chat" | "lore" | "personas" | "garden";
            /**
             * Notes
             * @default []
             */
            notes: string[];
            /**
             * Sheet
             * @default
             */
            sheet: string;
        };
        /**
         * IncidentView
         * @description An incident of the scenario: whether it has come before, and whether it could come now.
         */
        IncidentView: {
            /** Id */
            id: string;
            /** Ready */
            ready: boolean;
            /** Rung */
            rung: boolean;
            /** Text */
            text: string;
            /** Title */
            title: string;
        };
        /**
         * InjectionDecision
         * @description Why facts were given, or would have been.
         */
        InjectionDecision: {
            /**
             * Detected Addressing Violation
             * @default false
             */
            detected_addressing_violation: boolean;
            /**
             * Detected Tone Violation
             * @default false
             */
            detected_tone_violation: boolean;
            /**
             * Facts Injected
             * @default 0
             */
            facts_injected: number;
            /**
             * Predicted Blocked Props
             * @default []
             */
            predicted_blocked_props: string[];
            /**
             * Reasons
             * @default []
             */
            reasons: string[];
            /**
             * Would Inject
             * @default false
             */
            would_inject: boolean;
        };
        /**
         * InnerLife
         * @description Everything a persona holds just now, by number; `felt` is the mood at this moment.
         */
        InnerLife: {
            felt: components["schemas"]["Vad"];
            /** Goals */
            goals: {
                [key: string]: components["schemas"]["PersonaGoal"];
            };
            interest: components["schemas"]["InterestState"];
            mood: components["schemas"]["LongMoodState"];
            persona: components["schemas"]["Persona"];
            /** Preferences */
            preferences: {
                [key: string]: components["schemas"]["Preference"];
            };
            /** States */
            states: {
                [key: string]: components["schemas"]["PersonaState"];
            };
        };
        /**
         * IntentKind
         * @description The nine kinds of act the GM tells apart; the set is closed.
         * @enum {string}
         */
        IntentKind: "SAY" | "ASK" | "ANSWER" | "EMOTE" | "MOVE" | "GET" | "PUT" | "USE" | "EAT_DRINK";
        /**
         * InterestState
         * @description Everything that has a persona's attention, heaviest first, with the weights it had at `updated_at`.
         */
        InterestState: {
            /**
             * Attention Targets
             * @default []
             */
            attention_targets: components["schemas"]["AttentionTarget"][];
            /**
             * Interaction Mode
             * @default observe
             * @enum {string}
             */
            interaction_mode: "observe" | "support" | "wait" | "explore";
            /** Updated At */
            updated_at?: string | null;
            /** Updated From */
            updated_from?: ("write_plan" | "deliberation" | "action_result") | null;
            /**
             * Updated From Event Ids
             * @default []
             */
            updated_from_event_ids: number[];
        };
        /**
         * KeptPersona
         * @description A persona as it is kept: under which id, and whether there is a portrait to ask for.
         */
        KeptPersona: {
            /**
             * Description
             * @default
             */
            description: string;
            /** Id */
            id: string;
            /** Name */
            name: string;
            /**
             * Portrait
             * @default false
             */
            portrait: boolean;
        };
        /**
         * KnownRelation
         * @description A relation, with what the one thinks the other knows of.
         */
        KnownRelation: {
            bond: components["schemas"]["Bond"];
            /** Causes */
            causes: components["schemas"]["RelationChange"][];
            /** Knows Of */
            knows_of: string[];
            /** Of */
            of: string;
            /** Who */
            who: string;
        };
        /**
         * LaterEffect
         * @description What an affordance brings about some turns later.
         */
        LaterEffect: {
            /**
             * Becomes
             * @default []
             */
            becomes: string[];
            /**
             * Makes
             * @default {}
             */
            makes: {
                [key: string]: components["schemas"]["UnplacedProp"];
            };
            /**
             * Told
             * @default null
             */
            told: string | null;
            /** Turns */
            turns: number;
        };
        /**
         * Leak
         * @description A fact in a line that its speaker neither witnessed nor was told; `known_by` are those who do know it.
         */
        Leak: {
            fact: components["schemas"]["Fact"];
            /**
             * Known By
             * @default []
             */
            known_by: string[];
            /** Sentence */
            sentence: string;
        };
        /**
         * LeakReport
         * @description What a line says that its speaker cannot know.
         */
        LeakReport: {
            /** Leaks */
            leaks: components["schemas"]["Leak"][];
        };
        /**
         * LeakRequest
         * @description A line, its speaker, and the world that `history` began in.
         *
         *     `knows` says what somebody knows at the start (by default `here`: what they see), `told` what they were told;
         *     `common` are texts that everybody may know.
         */
        LeakRequest: {
            /**
             * Common
             * @default []
             */
            common: string[];
            /**
             * History
             * @default []
             */
            history: components["schemas"]["PastReply"][];
            /**
             * Knows
             * @default {}
             */
            knows: {
                [key: string]: ("all" | "here") | string[];
            };
            /** Line */
            line: string;
            /** Speaker */
            speaker: string;
            /**
             * Told
             * @default {}
             */
            told: {
                [key: string]: components["schemas"]["Fact"][];
            };
            world_state: components["schemas"]["WorldState"];
        };
        /**
         * LifeStage
         * @enum {string}
         */
        LifeStage: "elementary" | "middle" | "high" | "university" | "work" | "unknown";
        /**
         * LineReading
         * @description A line that can be read in two ways: as `done`, with what it is `read` as in words, or as `said`.
         */
        LineReading: {
            /** Done */
            done: string;
            /** Read */
            read: string[];
            /** Said */
            said: string;
            /** Unread */
            unread: string[];
        };
        /**
         * LinkKind
         * @description How events hang together, and states.
         * @enum {string}
         */
        LinkKind: "reply_to" | "same_topic" | "caused_by" | "continuation" | "relates_to" | "derived_from" | "contradicts" | "supports";
        /**
         * ListedModel
         * @description Somebody to talk to: a sheet by its name, a chat or a garden.
         */
        ListedModel: {
            /**
             * Created
             * @default 0
             */
            created: number;
            /** Id */
            id: string;
            /**
             * Object
             * @default model
             * @constant
             */
            object: "model";
            /**
             * Owned By
             * @default hakoniwa
             * @constant
             */
            owned_by: "hakoniwa";
        };
        /** Location */
        Location: {
            /**
             * Aliases
             * @default []
             */
            aliases: string[];
            /**
             * Description
             * @default
             */
            description: string;
            /**
             * Exits
             * @default {}
             */
            exits: {
                [key: string]: components["schemas"]["Exit"];
            };
        };
        /**
         * LongMoodState
         * @description How somebody feels, as of `updated_at`; the words for it stay for the whole day that `baseline_day_key` names.
         */
        LongMoodState: {
            /** Baseline Day Key */
            baseline_day_key?: string | null;
            /**
             * Baseline Half Life Hours
             * @default 24
             */
            baseline_half_life_hours: number;
            /**
             * @default {
             *       "v": 0,
             *       "a": 0,
             *       "d": 0
             *     }
             */
            baseline_vad: components["schemas"]["Vad"];
            /**
             * Shock Half Life Hours
             * @default 1
             */
            shock_half_life_hours: number;
            /** Shock Note */
            shock_note?: string | null;
            /**
             * @default {
             *       "v": 0,
             *       "a": 0,
             *       "d": 0
             *     }
             */
            shock_vad: components["schemas"]["Vad"];
            /**
             * Text
             * @default
             */
            text: string;
            /** Updated At */
            updated_at?: string | null;
        };
        /**
         * MeasureView
         * @description One main measure of a panel.
         */
        MeasureView: {
            /** Arms */
            arms: components["schemas"]["ArmMean"][];
            /** Hint */
            hint: string;
            /** Key */
            key: string;
            /** Label */
            label: string;
        };
        /**
         * Memory
         * @description An event in its place.
         */
        Memory: {
            /**
             * @default {
             *       "life_stage": "unknown"
             *     }
             */
            about: components["schemas"]["AboutTime"];
            /** Assistant Text */
            assistant_text?: string | null;
            /**
             * At
             * Format: date-time
             */
            at: string;
            /**
             * Entities
             * @default []
             */
            entities: components["schemas"]["Entity"][];
            /** Reply To */
            reply_to?: number | null;
            /**
             * Searchable
             * @default true
             */
            searchable: boolean;
            /** Seq */
            seq: number;
            source: components["schemas"]["MemorySource"];
            /** Text */
            text: string;
            /**
             * Threads
             * @default []
             */
            threads: string[];
            /** User Text */
            user_text?: string | null;
        };
        /**
         * MemoryLink
         * @description Two events (by seq) or two states (by id) that belong together.
         */
        MemoryLink: {
            /**
             * Confidence
             * @default 1
             */
            confidence: number;
            kind: components["schemas"]["LinkKind"];
            /**
             * Of
             * @default event
             * @enum {string}
             */
            of: "event" | "state";
            /** Source */
            source: number;
            /** Target */
            target: number;
        };
        /**
         * MemoryProgress
         * @description How far memory of a chat has come: exchanges that were worked in just now, and those that wait.
         */
        MemoryProgress: {
            /** Settled */
            settled: number;
            /** Waiting */
            waiting: number;
        };
        /**
         * MemorySource
         * @description Where an event came from; a decision is never searchable, a result only once it is promoted.
         * @enum {string}
         */
        MemorySource: "chat" | "garden" | "autonomy_message" | "deliberation_decision" | "action_result" | "notification" | "reminder";
        /**
         * MemoryStats
         * @description How much there is along a line.
         */
        MemoryStats: {
            /** Affects */
            affects: number;
            /** Entities */
            entities: number;
            /** Events */
            events: number;
            /** Items */
            items: {
                [key: string]: number;
            };
            /** Links */
            links: number;
            /** Revisions */
            revisions: number;
            /** Runs */
            runs: number;
            /** Searchable */
            searchable: number;
            /** Threads */
            threads: number;
            /** Vectors */
            vectors: {
                [key: string]: number;
            };
            /** Works */
            works: {
                [key: string]: number;
            };
        };
        /**
         * Message
         * @description One message of a prompt, in which nothing can pose as the beginning of another.
         */
        Message: {
            /** Content */
            content: string;
            /**
             * Role
             * @enum {string}
             */
            role: "system" | "user" | "assistant";
        };
        /**
         * MessageNews
         * @description What the persona said of its own accord.
         */
        MessageNews: {
            /** Action Type */
            action_type: string;
            /** Agent Job Id */
            agent_job_id: string | null;
            /** Backend */
            backend: string | null;
            /** Capability */
            capability: string;
            /** Decision Id */
            decision_id: number;
            /**
             * Delivery Mode
             * @enum {string}
             */
            delivery_mode: "silent" | "activity_only" | "notify" | "chat";
            /** Intent Id */
            intent_id: number;
            /** Message */
            message: string;
            /**
             * Message Kind
             * @enum {string}
             */
            message_kind: "report" | "progress" | "question" | "error";
            /** Result Id */
            result_id: number;
        };
        /**
         * MessagePart
         * @description A part of what is said: text, or what no character takes in.
         */
        MessagePart: {
            /**
             * Text
             * @default
             */
            text: string;
            /** Type */
            type: string;
        };
        /**
         * MessageRequest
         * @description What the user says; an answer that `goes_on` is not stopped by closing the connection.
         */
        MessageRequest: {
            /**
             * Branch
             * @default main
             */
            branch: string;
            /**
             * Goes On
             * @default false
             */
            goes_on: boolean;
            /** Text */
            text: string;
        };
        /** Meta */
        Meta: {
            /**
             * Tension
             * @default Low
             * @enum {string}
             */
            tension: "Low" | "Medium" | "High";
            /**
             * Weather
             * @default
             */
            weather: string;
        };
        /**
         * MindComparison
         * @description What the same words bring to two minds; `overlap` is 1 where that is the same, and 0 where nothing is.
         */
        MindComparison: {
            /** Names */
            names: [
                string,
                string
            ];
            one: components["schemas"]["Recall"];
            other: components["schemas"]["Recall"];
            /** Overlap */
            overlap: number;
        };
        /**
         * MindView
         * @description A mind at the end of a turn; `thought`, `means` and `ranked` are of its last turn, at `thought_at`.
         */
        MindView: {
            /** Chosen Because */
            chosen_because: string | null;
            /** Claims */
            claims: components["schemas"]["ClaimView"][];
            /** Desires */
            desires: components["schemas"]["DesireView"][];
            /** Intention */
            intention: string | null;
            /** Means */
            means: string | null;
            mood: components["schemas"]["MoodView"];
            /** Moods */
            moods: components["schemas"]["MoodPoint"][];
            /** People */
            people: components["schemas"]["BelievedPerson"][];
            /** Ranked */
            ranked: components["schemas"]["RankedDesire"][];
            /** Relations */
            relations: components["schemas"]["KnownRelation"][];
            /** Things */
            things: components["schemas"]["BelievedThing"][];
            /** Thought */
            thought: string;
            /** Thought At */
            thought_at: number | null;
            /** Tries Left */
            tries_left: {
                [key: string]: number;
            };
            /** Turn */
            turn: number;
            /** Unknown */
            unknown: string[];
            /** Who */
            who: string;
        };
        /**
         * MissedSource
         * @description A source that did not answer, and how it failed.
         */
        MissedSource: {
            /**
             * Problem
             * @enum {string}
             */
            problem: "timeout" | "failed";
            /** Source */
            source: string;
        };
        /** ModelList */
        ModelList: {
            /** Data */
            data: components["schemas"]["ListedModel"][];
            /**
             * Object
             * @default list
             * @constant
             */
            object: "list";
        };
        /**
         * MoodInfluence
         * @description What the mood does to it.
         */
        MoodInfluence: {
            /**
             * Action Threshold Bias
             * @default neutral
             * @enum {string}
             */
            action_threshold_bias: "higher" | "neutral" | "lower";
            /**
             * Defer Bias
             * @default neutral
             * @enum {string}
             */
            defer_bias: "higher" | "neutral" | "lower";
            /** Summary */
            summary: string;
            vad: components["schemas"]["Vad"];
        };
        /** MoodPoint */
        MoodPoint: {
            /** Arousal */
            arousal: number;
            /** Dominance */
            dominance: number;
            /** Turn */
            turn: number;
            /** Valence */
            valence: number;
        };
        /**
         * MoodView
         * @description A mood in numbers from -1 to 1, the word for it, and the expression of a face that shows it.
         */
        MoodView: {
            /** Arousal */
            arousal: number;
            /** Dominance */
            dominance: number;
            /**
             * Expression
             * @enum {string}
             */
            expression: "neutral" | "content" | "joy" | "sadness" | "anger" | "fear" | "surprise";
            /** Label */
            label: string;
            /** Valence */
            valence: number;
        };
        /**
         * NewBranch
         * @description A branch to begin at an exchange; without one, at the newest.
         */
        NewBranch: {
            /** At */
            at?: number | null;
            /**
             * Branch
             * @default main
             */
            branch: string;
            /** Name */
            name: string;
        };
        /**
         * NewChat
         * @description A conversation to begin, with the character of a sheet that comes with Hakoniwa or is the user's own.
         *
         *     With a `garden`, `persona` is somebody there by any of their names: there is one conversation with them, which is
         *     part of the garden's story and which they alone witness. `me` is the persona of the user's that talks.
         */
        NewChat: {
            /** Call Me */
            call_me?: string | null;
            /** Garden */
            garden?: string | null;
            /** Me */
            me?: string | null;
            /** Name */
            name?: string | null;
            /**
             * Persona
             * @default yana
             */
            persona: string;
        };
        /**
         * NewExperiment
         * @description A small experiment to begin: everything it is made of has an end.
         */
        NewExperiment: {
            /**
             * Arms
             * @default [
             *       "A",
             *       "B",
             *       "C",
             *       "D"
             *     ]
             */
            arms: components["schemas"]["Arm"][];
            /**
             * Model
             * @default clumsy
             * @enum {string}
             */
            model: "builtin" | "clumsy" | "server";
            /** Name */
            name: string;
            /**
             * Scenarios
             * @default [
             *       "kitchen_morning"
             *     ]
             */
            scenarios: string[];
            /**
             * Seeds
             * @default 3
             */
            seeds: number;
            /**
             * Turns
             * @default 10
             */
            turns: number;
        };
        /**
         * NewGarden
         * @description A garden to begin, from a scenario that comes with Hakoniwa or is the user's own; `me` is the persona of the user
         *     who is one of its people.
         */
        NewGarden: {
            /** Me */
            me?: string | null;
            /** Name */
            name?: string | null;
            /**
             * Scenario
             * @default kitchen_morning
             */
            scenario: string;
            /** Seed */
            seed?: number | null;
        };
        /**
         * NextPolicy
         * @description What happens when nobody valid is named.
         */
        NextPolicy: {
            /**
             * Allow Self Nomination
             * @default false
             */
            allow_self_nomination: boolean;
            /**
             * Fallback
             * @default round_robin
             * @enum {string}
             */
            fallback: "round_robin" | "random";
            /**
             * Fuzzy Threshold
             * @default 0.85
             */
            fuzzy_threshold: number;
        };
        /**
         * OfferedModel
         * @description A model a server offers. `context` is what it takes in as it is served, `trained` what it could; 0: unknown.
         */
        OfferedModel: {
            /**
             * Chats
             * @default true
             */
            chats: boolean;
            /**
             * Context
             * @default 0
             */
            context: number;
            /**
             * Loaded
             * @default false
             */
            loaded: boolean;
            /** Name */
            name: string;
            /**
             * Trained
             * @default 0
             */
            trained: number;
        };
        /**
         * OpenFlow
         * @description Something that was taken up and is not over, and what it has come to so far, if to anything.
         */
        OpenFlow: {
            /** Action Type */
            action_type?: string | null;
            trigger: components["schemas"]["Trigger"];
        };
        /**
         * Operation
         * @description A decision as the `operation` log has it, with the policy it was made by.
         */
        Operation: {
            /** Extracted Raw */
            extracted_raw: string;
            /** Matched Id */
            matched_id: string | null;
            /** Normalized */
            normalized: string;
            policy: components["schemas"]["NextPolicy"];
            /** Reason */
            reason: string;
        };
        /**
         * Pace
         * @description Whether turns come by themselves, how many seconds apart and how many more; if not, why no more come.
         */
        Pace: {
            /** Left */
            left?: number | null;
            /** Reason */
            reason?: ("asked" | "stopped" | "turns" | "ended" | "alone" | "unwatched" | "fault") | null;
            /**
             * Running
             * @default false
             */
            running: boolean;
            /** Speed */
            speed: number;
        };
        /**
         * PanelView
         * @description One model in one variant: what was found, what that does not tell, and the main measures.
         */
        PanelView: {
            /** Caveats */
            caveats: string[];
            /** Figures */
            figures: string[];
            /** Lead */
            lead: string[];
            /** Measures */
            measures: components["schemas"]["MeasureView"][];
            /** Title */
            title: string;
        };
        /**
         * ParsedOutput
         * @description A performance taken apart.
         */
        ParsedOutput: {
            /**
             * Action Intents
             * @default []
             */
            action_intents: components["schemas"]["ActionIntent"][];
            /**
             * Addressee
             * @default null
             */
            addressee: string | null;
            /**
             * Directions
             * @default []
             */
            directions: string[];
            /**
             * Format Break
             * @default null
             */
            format_break: string | null;
            /**
             * Repairs
             * @default []
             */
            repairs: string[];
            /**
             * Speech
             * @default null
             */
            speech: string | null;
            /**
             * Thought
             * @default null
             */
            thought: string | null;
            /**
             * Unread
             * @default []
             */
            unread: string[];
        };
        /**
         * PastReply
         * @description One earlier reply: who was where heard and saw it.
         */
        PastReply: {
            /** Raw Output */
            raw_output: string;
            /** Speaker */
            speaker: string;
        };
        /**
         * PatchOp
         * @description One RFC 6902 operation.
         */
        PatchOp: {
            /**
             * Op
             * @enum {string}
             */
            op: "add" | "replace" | "remove" | "test";
            /** Path */
            path: string;
            /**
             * Value
             * @default null
             */
            value: unknown;
        };
        /**
         * PauseRequest
         * @description How long to rest: `until` some time by the chat's clock, for so many `seconds`, or until told to go on.
         */
        PauseRequest: {
            /**
             * Branch
             * @default main
             */
            branch: string;
            /** Seconds */
            seconds?: number | null;
            /** Until */
            until?: string | null;
        };
        /**
         * Performance
         * @description What a character does and says, as written by its mind; `topic` and `to` if the mind knows them.
         */
        Performance: {
            /** Text */
            text: string;
            /** To */
            to?: string | null;
            /** Topic */
            topic?: string | null;
        };
        /**
         * Person
         * @description One of the cast; `who` names them in requests, `name` is what the story calls them.
         *
         *     `portrait` is the sheet that has a picture of them, `look` the face that is drawn otherwise.
         */
        Person: {
            /** Display Name */
            display_name: string;
            /** Holding */
            holding: string[];
            /** Location */
            location: string;
            /** Look */
            look: string;
            mood: components["schemas"]["MoodView"];
            /** Name */
            name: string;
            /** Portrait */
            portrait: string | null;
            /**
             * Pose
             * @enum {string}
             */
            pose: "standing" | "sitting" | "lying";
            /** Posture */
            posture: string | null;
            /** Status */
            status: string[];
            /** Who */
            who: string;
        };
        /**
         * Persona
         * @description The words a Ghost goes by, and the lasting desires of its sheet. There is no nameless default: without a persona
         *     nothing is chosen, said or kept.
         */
        Persona: {
            /**
             * Addon Text
             * @default
             */
            addon_text: string;
            /**
             * Desires
             * @default []
             */
            desires: components["schemas"]["Desire"][];
            /**
             * Language
             * @default ja
             */
            language: string;
            /** Name */
            name: string;
            /** Persona Text */
            persona_text: string;
            /**
             * @default {
             *       "openness": 0.5,
             *       "conscientiousness": 0.5,
             *       "extraversion": 0.5,
             *       "agreeableness": 0.5,
             *       "neuroticism": 0.5,
             *       "grit": 0.5,
             *       "growth_mindset": 0.5
             *     }
             */
            personality: components["schemas"]["Personality"];
            /** Second Person Label */
            second_person_label: string;
        };
        /**
         * PersonaDraft
         * @description A persona to be kept: under an `id`, or a new one; `portrait` is a PNG picture in base64.
         */
        PersonaDraft: {
            /**
             * Description
             * @default
             */
            description: string;
            /** Id */
            id?: string | null;
            /** Name */
            name: string;
            /** Portrait */
            portrait?: string | null;
        };
        /**
         * PersonaFocusHint
         * @description Which way the persona leans, in labels and numbers.
         */
        PersonaFocusHint: {
            /**
             * Avoid Bias
             * @default []
             */
            avoid_bias: string[];
            /**
             * Interest Mode Hint
             * @default observe
             * @enum {string}
             */
            interest_mode_hint: "observe" | "support" | "wait" | "explore";
            /**
             * Interest Targets Hint
             * @default []
             */
            interest_targets_hint: string[];
            /**
             * @default {
             *       "v": 0,
             *       "a": 0,
             *       "d": 0
             *     }
             */
            mood_vad_hint: components["schemas"]["Vad"];
            /**
             * Style Bias
             * @default []
             */
            style_bias: string[];
            /**
             * Topic Bias
             * @default []
             */
            topic_bias: string[];
        };
        /**
         * PersonaGoal
         * @description Something a persona is after, how far it has come, and in how many acts. A promise has somebody it was made to; a
         *     goal of the sheet has the desire it comes from.
         */
        PersonaGoal: {
            /** Desire */
            desire?: string | null;
            /**
             * Goal Type
             * @enum {string}
             */
            goal_type: "routine" | "research" | "task";
            /**
             * Horizon
             * @default short
             * @enum {string}
             */
            horizon: "short" | "mid" | "long";
            /**
             * Priority
             * @default 50
             */
            priority: number;
            /**
             * Progress
             * @default 0
             */
            progress: number;
            /** Promised To */
            promised_to?: string | null;
            /**
             * Status
             * @default active
             * @enum {string}
             */
            status: "active" | "paused" | "done" | "dropped";
            /**
             * Steps
             * @default 0
             */
            steps: number;
            /**
             * Target Condition
             * @default {}
             */
            target_condition: {
                [key: string]: unknown;
            };
            /** Title */
            title: string;
        };
        /**
         * PersonaInfluence
         * @description What of the persona speaks for or against it.
         */
        PersonaInfluence: {
            /**
             * Concerns
             * @default []
             */
            concerns: string[];
            /**
             * Preferred Direction
             * @enum {string}
             */
            preferred_direction: "observe" | "support" | "wait" | "avoid" | "explore";
            /** Summary */
            summary: string;
            /** Traits */
            traits: string[];
        };
        /**
         * Personality
         * @description Big Five, grit and growth mindset; 0.5 is everyone.
         */
        Personality: {
            /**
             * Agreeableness
             * @default 0.5
             */
            agreeableness: number;
            /**
             * Conscientiousness
             * @default 0.5
             */
            conscientiousness: number;
            /**
             * Extraversion
             * @default 0.5
             */
            extraversion: number;
            /**
             * Grit
             * @default 0.5
             */
            grit: number;
            /**
             * Growth Mindset
             * @default 0.5
             */
            growth_mindset: number;
            /**
             * Neuroticism
             * @default 0.5
             */
            neuroticism: number;
            /**
             * Openness
             * @default 0.5
             */
            openness: number;
        };
        /**
         * PersonaState
         * @description Something a persona holds to be so, in its own words.
         */
        PersonaState: {
            /** Body Text */
            body_text: string;
            /**
             * Confidence
             * @default 0.5
             */
            confidence: number;
            /**
             * Done
             * @default false
             */
            done: boolean;
            /**
             * Entities
             * @default []
             */
            entities: components["schemas"]["Entity"][];
            kind: components["schemas"]["StateKind"];
            /**
             * Last Confirmed At
             * Format: date-time
             */
            last_confirmed_at: string;
            /**
             * Payload
             * @default {}
             */
            payload: {
                [key: string]: unknown;
            };
            /**
             * Searchable
             * @default true
             */
            searchable: boolean;
            /** Valid From */
            valid_from?: string | null;
            /** Valid To */
            valid_to?: string | null;
        };
        /**
         * PersonState
         * @description Where and how somebody is, or is taken to be.
         */
        PersonState: {
            /** Holding */
            holding: string[];
            /** Location */
            location: string;
            /** Posture */
            posture: string | null;
        };
        /**
         * Picture
         * @description What a thing looks like: the art, how large it is, where it hangs, and the states that have art of their own.
         *
         *     `top` is the share of its height above where other things stand on it.
         */
        Picture: {
            /**
             * Gives Light
             * @default false
             */
            gives_light: boolean;
            /** Hangs */
            hangs?: ("wall" | "ceiling") | null;
            /** Height */
            height: number;
            /** Name */
            name: string;
            /**
             * States
             * @default []
             */
            states: string[];
            /**
             * Top
             * @default 0
             */
            top: number;
            /** Width */
            width: number;
        };
        /**
         * PieceNews
         * @description The next words of whoever is speaking.
         */
        PieceNews: {
            /** Text */
            text: string;
            /** Turn */
            turn: number;
            /** Who */
            who: string;
        };
        /**
         * PlayedTurn
         * @description A turn that has been played: its newest row, who had it, and what the script has of it.
         */
        PlayedTurn: {
            /** Lines */
            lines: components["schemas"]["ScriptLine"][];
            /** Seq */
            seq: number;
            /** Turn */
            turn: number;
            /** Who */
            who: string;
        };
        /**
         * PossibleAct
         * @description An act that is possible now: as a tag, to be sent back, and in words.
         */
        PossibleAct: {
            /** Destination */
            destination: string | null;
            /** Tag */
            tag: string;
            /** Target */
            target: string | null;
            /** Verb */
            verb: string;
            /** Words */
            words: string;
        };
        /**
         * PossibleActs
         * @description What somebody can do now; `total` counts what was found, of which no more are listed than was asked for.
         */
        PossibleActs: {
            /** Acts */
            acts: components["schemas"]["PossibleAct"][];
            /** Total */
            total: number;
            /** Who */
            who: string;
        };
        /**
         * Preference
         * @description A liking or disliking of the user's; only a confirmed one may be asserted.
         */
        Preference: {
            /**
             * Confidence
             * @default 0.5
             */
            confidence: number;
            /**
             * Domain
             * @enum {string}
             */
            domain: "food" | "topic" | "style";
            /** Note */
            note?: string | null;
            /**
             * Polarity
             * @enum {string}
             */
            polarity: "like" | "dislike";
            /**
             * Status
             * @default candidate
             * @enum {string}
             */
            status: "candidate" | "confirmed" | "revoked";
            /** Subject */
            subject: string;
        };
        /**
         * Problem
         * @description What went wrong, in the form of RFC 9457; `key` names an error of Hakoniwa's, where it is one.
         */
        Problem: {
            /**
             * Detail
             * @default
             */
            detail: string;
            /**
             * Key
             * @default
             */
            key: string;
            /** Status */
            status: number;
            /** Title */
            title: string;
            /**
             * Type
             * @default about:blank
             */
            type: string;
        };
        /**
         * Process
         * @description Something under way that the GM will finish at a later turn.
         */
        Process: {
            /**
             * Becomes
             * @default []
             */
            becomes: string[];
            /**
             * Clears
             * @default []
             */
            clears: string[];
            /** Due */
            due: number;
            /**
             * Makes
             * @default {}
             */
            makes: {
                [key: string]: {
                    [key: string]: unknown;
                };
            };
            /** Prop */
            prop: string;
            /** Told */
            told?: string | null;
        };
        /**
         * Prop
         * @description A thing. Picked up it stays in `props`, with `held_by`; put into a pocket or put on, with another field so.
         */
        Prop: {
            /**
             * Affordances
             * @default []
             */
            affordances: components["schemas"]["Affordance"][];
            /**
             * Aliases
             * @default []
             */
            aliases: string[];
            /**
             * Alive
             * @default null
             */
            alive: boolean | null;
            /**
             * Carried By
             * @default null
             */
            carried_by: string | null;
            /**
             * Container
             * @default false
             */
            container: boolean;
            /**
             * Description
             * @default
             */
            description: string;
            /**
             * Edible
             * @default null
             */
            edible: boolean | ("food" | "drink") | null;
            /**
             * Fixed
             * @default false
             */
            fixed: boolean;
            /**
             * Hangs
             * @default null
             */
            hangs: boolean | null;
            /**
             * Held By
             * @default null
             */
            held_by: string | null;
            /**
             * Inside
             * @default null
             */
            inside: string | null;
            /** Location */
            location: string;
            /**
             * On
             * @default null
             */
            on: string | null;
            /**
             * Owner
             * @default null
             */
            owner: string | null;
            /**
             * Parts
             * @default []
             */
            parts: string[];
            /**
             * Picture
             * @default null
             */
            picture: string | null;
            /**
             * State
             * @default []
             */
            state: string[];
            /**
             * Surface
             * @default null
             */
            surface: boolean | null;
            /**
             * Wearable
             * @default null
             */
            wearable: boolean | null;
            /**
             * Worn By
             * @default null
             */
            worn_by: string | null;
        };
        /**
         * RankedDesire
         * @description One desire as it stood in the competition.
         */
        RankedDesire: {
            /** Desire */
            desire: string;
            /** Kind */
            kind: string;
            /** Score */
            score: number;
        };
        /** Ready */
        Ready: {
            /**
             * Status
             * @default ready
             * @constant
             */
            status: "ready";
        };
        /**
         * Recall
         * @description One act of remembering: the plan, what was considered, what came to mind, and by whose choice.
         */
        Recall: {
            /**
             * By
             * @enum {string}
             */
            by: "rule" | "model";
            /** Candidates */
            candidates: components["schemas"]["Candidate"][];
            /** Dropped */
            dropped?: string | null;
            /**
             * Missed
             * @default []
             */
            missed: components["schemas"]["MissedSource"][];
            pack: components["schemas"]["SearchResultPack"];
            plan: components["schemas"]["RetrievalPlan"];
            /**
             * Run
             * @default 0
             */
            run: number;
        };
        /**
         * RecalledItem
         * @description One thing that came to mind, and why: an event or its feeling by the event's number, a state by its own.
         */
        RecalledItem: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Key */
            key: number;
            /** Text */
            text: string;
            /**
             * Type
             * @enum {string}
             */
            type: "event" | "state" | "event_affect";
            /** Why */
            why: string;
        };
        /**
         * RecallSummary
         * @description What came to mind on hearing the message, and by whose choice.
         */
        RecallSummary: {
            /**
             * By
             * @enum {string}
             */
            by: "rule" | "model";
            /** Dropped */
            dropped?: string | null;
            /** Run */
            run: number;
            /** Selected */
            selected: components["schemas"]["RecalledItem"][];
        };
        /**
         * RecordContents
         * @description What goes along when a garden or a chat is deleted: its rows on all branches, and the chats with its people.
         */
        RecordContents: {
            /** Branches */
            branches: number;
            /**
             * Chats
             * @default []
             */
            chats: string[];
            /** Id */
            id: string;
            /**
             * Kind
             * @enum {string}
             */
            kind: "garden" | "chat";
            /** Memories */
            memories: number;
            /** Rows */
            rows: number;
        };
        /**
         * RecordLabel
         * @description What a user calls a garden or a chat, by which tags it is found, and whether it is put away.
         */
        RecordLabel: {
            /**
             * Archived
             * @default false
             */
            archived: boolean;
            /**
             * Tags
             * @default []
             */
            tags: string[];
            /**
             * Title
             * @default
             */
            title: string;
        };
        /**
         * RefereeAnswer
         * @description One question of the referee's and its answer; `rule`, `reason` and `why` are those of a denial.
         */
        RefereeAnswer: {
            /**
             * Answer
             * @enum {string}
             */
            answer: "passed" | "not_applicable" | "denied";
            /** Question */
            question: string;
            reason?: components["schemas"]["DeniedReason"] | null;
            /** Rule */
            rule?: string | null;
            /** Why */
            why?: string | null;
        };
        /**
         * RefereeQuestions
         * @description Everything that was asked about one matter, in its order: an act, a claim, or whether it is always the same.
         *
         *     `rule` and `reason` are those that stood against it, if any did; nothing was asked after that.
         */
        RefereeQuestions: {
            /** About */
            about: string;
            /** Allowed */
            allowed: boolean;
            /**
             * Questions
             * @default []
             */
            questions: components["schemas"]["RefereeAnswer"][];
            reason?: components["schemas"]["DeniedReason"] | null;
            /** Rule */
            rule?: string | null;
            /** Words */
            words: string;
        };
        /**
         * RelationChange
         * @description What moved a feeling: which turn, what happened, and by how much.
         */
        RelationChange: {
            /**
             * Debt
             * @default 0
             */
            debt: number;
            /** Event */
            event: string;
            /**
             * Trust
             * @default 0
             */
            trust: number;
            /** Turn */
            turn: number;
            /**
             * Warmth
             * @default 0
             */
            warmth: number;
        };
        /**
         * RelationView
         * @description What somebody (`of`) feels for another (`who`), with the latest of what moved it.
         */
        RelationView: {
            bond: components["schemas"]["Bond"];
            /** Causes */
            causes: components["schemas"]["RelationChange"][];
            /** Of */
            of: string;
            /** Who */
            who: string;
        };
        /**
         * Reset
         * @description A gap: what was missed cannot be told one by one, so read the chat again; all after row `seq` follows.
         */
        Reset: {
            /**
             * Reason
             * @enum {string}
             */
            reason: "unknown" | "ahead" | "behind" | "purged";
            /** Seq */
            seq: number;
        };
        /**
         * Resolution
         * @description How a written name was matched to a thing of the world.
         */
        Resolution: {
            /**
             * How
             * @default none
             * @enum {string}
             */
            how: "exact" | "alias" | "derived" | "part" | "kind" | "pronoun" | "ambient" | "none";
            /**
             * Resolved
             * @default null
             */
            resolved: string | null;
            /** Written */
            written: string;
        };
        /**
         * ResponseFormat
         * @description In which form an answer is wanted.
         */
        ResponseFormat: {
            /** Type */
            type: string;
        };
        /**
         * Retake
         * @description A take that did not stand.
         */
        Retake: {
            denied_reason?: components["schemas"]["DeniedReason"] | null;
            /**
             * Reason
             * @default
             */
            reason: string;
            /** Text */
            text: string;
        };
        /**
         * RetakeRequest
         * @description The newest exchange is to be answered anew, or its answer to go on.
         *
         *     An answer that `goes_on` is not stopped by closing the connection.
         */
        RetakeRequest: {
            /**
             * Branch
             * @default main
             */
            branch: string;
            /**
             * Goes On
             * @default false
             */
            goes_on: boolean;
        };
        /**
         * RetrievalLimits
         * @description How many candidates are weighed, and how many of them called to mind.
         */
        RetrievalLimits: {
            /**
             * Max Candidates
             * @default 40
             */
            max_candidates: number;
            /**
             * Max Selected
             * @default 12
             */
            max_selected: number;
        };
        /**
         * RetrievalPlan
         * @description How memory is searched for one input.
         */
        RetrievalPlan: {
            /**
             * @default {
             *       "by": [
             *         "life_stage",
             *         "about_year_bucket"
             *       ],
             *       "per_bucket": 5
             *     }
             */
            diversify: components["schemas"]["Diversify"];
            /**
             * @default {
             *       "max_candidates": 40,
             *       "max_selected": 12
             *     }
             */
            limits: components["schemas"]["RetrievalLimits"];
            /**
             * Mode
             * @enum {string}
             */
            mode: "associative_recent" | "targeted_broad" | "explicit_about_time";
            /**
             * @default {
             *       "topic_bias": [],
             *       "style_bias": [],
             *       "avoid_bias": [],
             *       "mood_vad_hint": {
             *         "a": 0,
             *         "d": 0,
             *         "v": 0
             *       },
             *       "interest_mode_hint": "observe",
             *       "interest_targets_hint": []
             *     }
             */
            persona_focus_hint: components["schemas"]["PersonaFocusHint"];
            /** Queries */
            queries: string[];
            /**
             * @default {
             *       "life_stage_hint": []
             *     }
             */
            time_hint: components["schemas"]["TimeHint"];
        };
        /**
         * RetrievalRun
         * @description One retrieval: what was asked, what was considered, what was chosen and by whom.
         *
         *     A candidate names what it is by `type` ("event", "state", "event_affect") and `key`; an affect by its event.
         */
        RetrievalRun: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            /**
             * By
             * @enum {string}
             */
            by: "rule" | "model";
            /** Candidates */
            candidates: {
                [key: string]: unknown;
            }[];
            /** Dropped */
            dropped?: string | null;
            /**
             * Id
             * @default 0
             */
            id: number;
            /** Input */
            input: string;
            /** Plan */
            plan: {
                [key: string]: unknown;
            };
            /** Selection */
            selection: {
                [key: string]: unknown;
            };
        };
        /**
         * Revision
         * @description One change of an item. `after` is None once it is closed; `id` is 0 until the store gives one.
         *
         *     `item` names the thing that changed for as long as it lives: the number of its first revision, 0 for a new one.
         */
        Revision: {
            /** After */
            after?: {
                [key: string]: unknown;
            } | null;
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Before */
            before?: {
                [key: string]: unknown;
            } | null;
            /**
             * Evidence
             * @default []
             */
            evidence: number[];
            /**
             * Id
             * @default 0
             */
            id: number;
            /**
             * Item
             * @default 0
             */
            item: number;
            /**
             * Kind
             * @enum {string}
             */
            kind: "state" | "preference" | "goal" | "world_model_item";
            /**
             * Reason
             * @default
             */
            reason: string;
        };
        /**
         * RingRequest
         * @description An incident of the scenario to bring about.
         */
        RingRequest: {
            /**
             * Branch
             * @default main
             */
            branch: string;
            /** Incident */
            incident: string;
        };
        /** Room */
        Room: {
            /** Description */
            description: string;
            /** Exits */
            exits: components["schemas"]["ExitView"][];
            /** Name */
            name: string;
            /** Outdoors */
            outdoors: boolean;
        };
        /**
         * RowNews
         * @description A row was written after `parent`; whatever of this line came after that row has been taken back.
         */
        RowNews: {
            /** Kind */
            kind: string;
            /** Lines */
            lines: components["schemas"]["ScriptLine"][];
            /** Origin */
            origin: string;
            /** Parent */
            parent: number | null;
            /** Seq */
            seq: number;
            /** Turn */
            turn: number;
            /** World Delta */
            world_delta: components["schemas"]["PatchOp"][];
        };
        /**
         * Ruling
         * @description The GM's answer to one performance: the body of a GM step.
         */
        Ruling: {
            /** Allowed */
            allowed: boolean;
            /** @default null */
            denied_reason: components["schemas"]["DeniedReason"] | null;
            /** @default null */
            explanation: components["schemas"]["Explanation"] | null;
            /**
             * Fact Cards
             * @default []
             */
            fact_cards: string[];
            /**
             * Format Break
             * @default null
             */
            format_break: string | null;
            parsed: components["schemas"]["ParsedOutput"];
            /**
             * Possible Acts
             * @default null
             */
            possible_acts: string[] | null;
            /**
             * Resolution
             * @default []
             */
            resolution: components["schemas"]["Resolution"][];
            /**
             * Stall Score
             * @default 0
             */
            stall_score: number;
            /**
             * Told
             * @default []
             */
            told: string[];
            /**
             * World Delta
             * @default []
             */
            world_delta: components["schemas"]["PatchOp"][];
        };
        /**
         * RunRequest
         * @description How a garden is to play by itself: so many `turns` or until something stops it, `speed` seconds apart.
         */
        RunRequest: {
            /**
             * Branch
             * @default main
             */
            branch: string;
            /** Speed */
            speed?: number | null;
            /** Turns */
            turns?: number | null;
        };
        /**
         * Sampling
         * @description How words are drawn. What is not set is the preset's; what that does not say either is the server's own.
         */
        Sampling: {
            /** Dry */
            dry?: number | null;
            /** Min P */
            min_p?: number | null;
            /**
             * Preset
             * @default auto
             * @enum {string}
             */
            preset: "auto" | "none" | "gemma" | "qwen" | "llama" | "mistral";
            /** Repeat Penalty */
            repeat_penalty?: number | null;
            /** Seed */
            seed?: number | null;
            /** Stop */
            stop?: string[] | null;
            /** Temperature */
            temperature?: number | null;
            /** Top P */
            top_p?: number | null;
        };
        /**
         * SanitizerReport
         * @description What the sanitizer did to a performance.
         */
        SanitizerReport: {
            /**
             * Action Removed
             * @default false
             */
            action_removed: boolean;
            /**
             * Action Replaced
             * @default false
             */
            action_replaced: boolean;
            /**
             * Actions
             * @default []
             */
            actions: string[];
            /**
             * Blocked Props
             * @default []
             */
            blocked_props: string[];
            /** Original Action */
            original_action?: string | null;
            /** Replacement */
            replacement?: string | null;
            /**
             * Triggered
             * @default false
             */
            triggered: boolean;
        };
        /**
         * Saying
         * @description The words of a turn, and to whom they were if to somebody.
         */
        Saying: {
            /** To */
            to: string | null;
            /** Who */
            who: string;
            /** Words */
            words: string;
        };
        /**
         * ScenarioCheck
         * @description Whether a scenario can be played, and what there is to say about it.
         */
        ScenarioCheck: {
            /** Flaws */
            flaws: components["schemas"]["Flaw"][];
            /** Name */
            name: string;
            /** Playable */
            playable: boolean;
        };
        /**
         * ScenarioDraft
         * @description A scenario as it is being written, and what it is called; the id it is kept under is made from that.
         */
        ScenarioDraft: {
            /**
             * Name
             * @default scenario
             */
            name: string;
            /** Text */
            text: string;
        };
        /**
         * ScenarioSummary
         * @description One scenario in a list, by what it says of itself at its top.
         */
        ScenarioSummary: {
            /** Description */
            description: string;
            /** Language */
            language: string;
            /** Name */
            name: string;
            /**
             * Origin
             * @enum {string}
             */
            origin: "shipped" | "own";
            /** Shelf */
            shelf: string;
            /** Title */
            title: string;
        };
        /**
         * ScenarioText
         * @description A scenario as it is written.
         */
        ScenarioText: {
            /** Description */
            description: string;
            /** Language */
            language: string;
            /** Name */
            name: string;
            /**
             * Origin
             * @enum {string}
             */
            origin: "shipped" | "own";
            /** Shelf */
            shelf: string;
            /** Text */
            text: string;
            /** Title */
            title: string;
        };
        /**
         * ScriptLine
         * @description One entry of the script with its row, whom it was whispered to, and the highlights its turn is part of.
         *
         *     `origin` is who it is from: the user, a character's mind, a character on an errand of their own, or the GM.
         *     `directed`: the Director took something out of what was written, or had it written again.
         */
        ScriptLine: {
            /**
             * Clock
             * @default
             */
            clock: string;
            /**
             * Cut
             * @default false
             */
            cut: boolean;
            /**
             * Directed
             * @default false
             */
            directed: boolean;
            /**
             * Direction
             * @default
             */
            direction: string;
            /**
             * Highlights
             * @default []
             */
            highlights: string[];
            /**
             * Kind
             * @enum {string}
             */
            kind: "scene" | "opening" | "speech" | "direction" | "told" | "denied" | "incident" | "process" | "user" | "end";
            /**
             * Name
             * @default
             */
            name: string;
            /**
             * Origin
             * @enum {string}
             */
            origin: "user" | "actor" | "ghost" | "gm";
            /** Seq */
            seq: number;
            /** Speaker */
            speaker?: string | null;
            /**
             * Text
             * @default
             */
            text: string;
            /**
             * Time
             * @default
             */
            time: string;
            /** To */
            to?: string | null;
            /** Turn */
            turn: number;
            /**
             * Weather
             * @default
             */
            weather: string;
        };
        /**
         * ScriptPage
         * @description Lines of the script: those of `total` rows from `first` on; `before` and `after` ask for the pages beside it.
         */
        ScriptPage: {
            /** After */
            after: number | null;
            /** Before */
            before: number | null;
            /** Branch */
            branch: string;
            /** First */
            first: number;
            /** Head */
            head: number | null;
            /** Lines */
            lines: components["schemas"]["ScriptLine"][];
            /** Total */
            total: number;
        };
        /**
         * SearchResultPack
         * @description The selection, and nothing else; empty if nothing fits.
         */
        SearchResultPack: {
            /** Selected */
            selected: components["schemas"]["SelectedMemory"][];
        };
        /**
         * SelectedMemory
         * @description One thing that is called to mind: exactly one of the ids is not zero, the one that `type` names.
         */
        SelectedMemory: {
            /** Affect Id */
            affect_id: number;
            /** Event Id */
            event_id: number;
            /**
             * Snippet
             * @default
             */
            snippet: string;
            /** State Id */
            state_id: number;
            /**
             * Type
             * @enum {string}
             */
            type: "event" | "state" | "event_affect";
            /** Why */
            why: string;
        };
        /**
         * ServersView
         * @description Servers and models; `using` is the model that speaks, or `builtin`; `playable`: no problem was found.
         */
        ServersView: {
            /** Findings */
            findings: components["schemas"]["FindingView"][];
            /** Playable */
            playable: boolean;
            /** Server */
            server: string | null;
            /** Servers */
            servers: components["schemas"]["ServerView"][];
            /** Using */
            using: string;
        };
        /**
         * ServerView
         * @description A place where a model server was looked for: what is there, or the trouble; `origin` says who named it.
         */
        ServerView: {
            /** Kind */
            kind: string;
            /** Models */
            models: components["schemas"]["OfferedModel"][];
            /** Origin */
            origin: string;
            /** Title */
            title: string;
            /** Trouble */
            trouble: string | null;
            /** Url */
            url: string;
        };
        /**
         * ServerVisit
         * @description An address to look at, and the key to show there; without one, the key that is kept for this address.
         */
        ServerVisit: {
            /** Api Key */
            api_key?: string | null;
            /** Base Url */
            base_url: string;
        };
        /**
         * SettingView
         * @description A setting with its value; of a secret only whether there is one.
         */
        SettingView: {
            /** Description */
            description: string;
            /** Name */
            name: string;
            /** Value */
            value: string;
        };
        /**
         * SheetSummary
         * @description One sheet in a list: what they are called, the first line of who they are `about`, and whether there is a
         *     `portrait` to ask for; `look` is the face that is drawn of them otherwise.
         */
        SheetSummary: {
            /** About */
            about: string;
            /** Display Name */
            display_name: string;
            /** Look */
            look: string;
            /** Name */
            name: string;
            /**
             * Origin
             * @enum {string}
             */
            origin: "shipped" | "own";
            /** Portrait */
            portrait: boolean;
        };
        /**
         * SheetView
         * @description A sheet as it is written; `spec` is the version of the card it was made from, or null.
         */
        SheetView: {
            /** About */
            about: string;
            /** Display Name */
            display_name: string;
            /** Look */
            look: string;
            /** Name */
            name: string;
            /**
             * Origin
             * @enum {string}
             */
            origin: "shipped" | "own";
            /** Persona */
            persona: string;
            /** Portrait */
            portrait: boolean;
            /** Short Name */
            short_name: string;
            /** Spec */
            spec: string | null;
            /** Text */
            text: string;
        };
        /**
         * SpeakingNews
         * @description Somebody begins to think, to perform or to perform again, with the words so far; nobody: it is over.
         */
        SpeakingNews: {
            /** Phase */
            phase: ("think" | "perform" | "retake") | null;
            /** Take */
            take: number;
            /** Text */
            text: string;
            /** Turn */
            turn: number;
            /** Who */
            who: string | null;
        };
        /**
         * SpeakRequest
         * @description What the user says as a voice: to everybody where the camera is, or in a whisper `to` one of the people.
         */
        SpeakRequest: {
            /**
             * Branch
             * @default main
             */
            branch: string;
            /** Text */
            text: string;
            /** To */
            to?: string | null;
        };
        /**
         * StateKind
         * @description The first four may coexist in any number; of the last two there is one each.
         * @enum {string}
         */
        StateKind: "fact" | "relation" | "task" | "summary" | "long_mood_state" | "persona_interest_state";
        /**
         * Status
         * @description What the Director wants done about a line.
         * @enum {string}
         */
        Status: "PASS" | "WARN" | "MODIFY" | "RETRY";
        /**
         * StreamOptions
         * @description Whether a stream ends with a count.
         */
        StreamOptions: {
            /**
             * Include Usage
             * @default false
             */
            include_usage: boolean;
        };
        /**
         * Take
         * @description One performance with its ruling, and what the Director did about it.
         */
        Take: {
            /**
             * Drift
             * @default []
             */
            drift: string[];
            /**
             * @default {
             *       "status": "PASS",
             *       "reason": "",
             *       "suggestion": "",
             *       "action": "NOOP",
             *       "checks_passed": [],
             *       "checks_failed": [],
             *       "findings": []
             *     }
             */
            evaluation: components["schemas"]["Evaluation"];
            /**
             * Gave Up
             * @default false
             */
            gave_up: boolean;
            /**
             * @default {
             *       "would_inject": false,
             *       "reasons": [],
             *       "predicted_blocked_props": [],
             *       "detected_tone_violation": false,
             *       "detected_addressing_violation": false,
             *       "facts_injected": 0
             *     }
             */
            injection: components["schemas"]["InjectionDecision"];
            performance: components["schemas"]["Performance"];
            /**
             * Retakes
             * @default []
             */
            retakes: components["schemas"]["Retake"][];
            ruling: components["schemas"]["Ruling"];
            /**
             * @default {
             *       "triggered": false,
             *       "action_removed": false,
             *       "action_replaced": false,
             *       "blocked_props": [],
             *       "actions": []
             *     }
             */
            sanitized: components["schemas"]["SanitizerReport"];
            shadow?: components["schemas"]["DeniedReason"] | null;
            /** Silent Correction */
            silent_correction?: boolean | null;
        };
        /**
         * TakeChoice
         * @description The take to go on from, by its number.
         */
        TakeChoice: {
            /**
             * Branch
             * @default main
             */
            branch: string;
            /** Take */
            take: number;
        };
        /**
         * TakenBack
         * @description Whatever came after row `seq` has been taken back; null: all there was.
         */
        TakenBack: {
            /** Seq */
            seq: number | null;
        };
        /**
         * TakeOf
         * @description Which turn of which branch a branch is an earlier take of.
         */
        TakeOf: {
            /** Branch */
            branch: string;
            /** Number */
            number: number;
            /** Turn */
            turn: number;
        };
        /**
         * Thing
         * @description A thing and where it is; `words` tell its states in the language that was asked for.
         *
         *     `open` and `running` are null where it is neither so nor the opposite, `picture` where it looks like nothing known.
         */
        Thing: {
            /** Carried By */
            carried_by: string | null;
            /** Container */
            container: boolean;
            /** Description */
            description: string;
            /** Door */
            door: boolean;
            /** Fixed */
            fixed: boolean;
            /** Held By */
            held_by: string | null;
            /** Hidden */
            hidden: boolean;
            /** Inside */
            inside: string | null;
            /** Location */
            location: string;
            /** Locked */
            locked: boolean;
            /** Name */
            name: string;
            /** On */
            on: string | null;
            /** Open */
            open: boolean | null;
            /** Owner */
            owner: string | null;
            picture: components["schemas"]["Picture"] | null;
            /** Running */
            running: boolean | null;
            /** State */
            state: string[];
            /** Words */
            words: string[];
            /** Worn By */
            worn_by: string | null;
        };
        /**
         * ThingState
         * @description Where and how a thing is, or is taken to be.
         */
        ThingState: {
            /** Carried By */
            carried_by: string | null;
            /** Held By */
            held_by: string | null;
            /** Inside */
            inside: string | null;
            /** Location */
            location: string;
            /** On */
            on: string | null;
            /** State */
            state: string[];
            /** Worn By */
            worn_by: string | null;
        };
        /**
         * Thought
         * @description What a mind made of the scene: its words, and the numbers behind them.
         */
        Thought: {
            /**
             * Beliefs
             * @default []
             */
            beliefs: string[];
            /** Chosen */
            chosen?: string[] | null;
            /**
             * Desires
             * @default []
             */
            desires: components["schemas"]["RankedDesire"][];
            /** Intention */
            intention?: string | null;
            /** Means */
            means?: string | null;
            /** Text */
            text: string;
            /** Tries Left */
            tries_left?: number | null;
        };
        /** Time */
        Time: {
            /**
             * Clock
             * @default null
             */
            clock: string | null;
            /**
             * Label
             * @default 朝
             */
            label: string;
            /**
             * Turn
             * @default 0
             */
            turn: number;
        };
        /**
         * TimeAndWeather
         * @description The time of day, the clock if there is one, the weather and how tense things are; how light it is, and what falls
         *     from the sky, as they are drawn.
         */
        TimeAndWeather: {
            /** Clock */
            clock: string | null;
            /** Falls */
            falls: ("storm" | "snow" | "rain" | "fog") | null;
            /** Label */
            label: string;
            /**
             * Light
             * @enum {string}
             */
            light: "dawn" | "day" | "dusk" | "night";
            /** Tension */
            tension: string;
            /** Weather */
            weather: string;
        };
        /**
         * TimeHint
         * @description When the thing was that somebody speaks of: years it is about, a time of life, and days on which it was lived.
         *
         *     `at_to` is the first moment that no longer counts.
         */
        TimeHint: {
            /** About Year End */
            about_year_end?: number | null;
            /** About Year Start */
            about_year_start?: number | null;
            /** At From */
            at_from?: string | null;
            /** At To */
            at_to?: string | null;
            /**
             * Life Stage Hint
             * @default []
             */
            life_stage_hint: components["schemas"]["LifeStage"][];
        };
        /**
         * TokenCount
         * @description About how many tokens were said and answered; what stands in prompts beside that is not counted.
         */
        TokenCount: {
            /** Completion Tokens */
            completion_tokens: number;
            /** Prompt Tokens */
            prompt_tokens: number;
            /** Total Tokens */
            total_tokens: number;
        };
        /**
         * Trigger
         * @description A reason to think about what to do, from the moment it is due.
         */
        Trigger: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            /**
             * Due
             * Format: date-time
             */
            due: string;
            /** Key */
            key: string;
            /**
             * Note
             * @default
             */
            note: string;
            /**
             * Type
             * @enum {string}
             */
            type: "event" | "time" | "heartbeat" | "policy";
        };
        /**
         * TriggerRequest
         * @description A reason to think about what to do, in a few words.
         */
        TriggerRequest: {
            /**
             * Branch
             * @default main
             */
            branch: string;
            /**
             * Note
             * @default
             */
            note: string;
        };
        /**
         * Turn
         * @description One whole turn, as the journal keeps it; `lies` are what its speaker told and does not believe.
         */
        Turn: {
            /**
             * Deeds
             * @default []
             */
            deeds: [
                string,
                string | null
            ][];
            /**
             * Facts
             * @default []
             */
            facts: string[];
            /**
             * Lies
             * @default []
             */
            lies: components["schemas"]["Fact"][];
            /**
             * Marks
             * @default []
             */
            marks: string[];
            /**
             * Mind
             * @default {}
             */
            mind: {
                [key: string]: unknown;
            };
            /**
             * Next Reason
             * @default round_robin
             */
            next_reason: string;
            /** Next Speaker */
            next_speaker?: string | null;
            /**
             * Next Tag
             * @default
             */
            next_tag: string;
            /** Number */
            number: number;
            /**
             * Processes
             * @default []
             */
            processes: components["schemas"]["Process"][];
            /** Speaker */
            speaker: string;
            take: components["schemas"]["Take"];
            thought: components["schemas"]["Thought"];
        };
        TurnEvents: {
            done: components["schemas"]["PlayedTurn"];
            fault: components["schemas"]["Problem"];
            piece: components["schemas"]["PieceNews"];
            row: components["schemas"]["RowNews"];
            speaking: components["schemas"]["SpeakingNews"];
        };
        /**
         * UndoRequest
         * @description How many turns are to be taken back.
         */
        UndoRequest: {
            /**
             * Branch
             * @default main
             */
            branch: string;
            /**
             * Turns
             * @default 1
             */
            turns: number;
        };
        /**
         * UnplacedProp
         * @description A thing that does not exist yet: a prop without a place.
         */
        UnplacedProp: {
            /**
             * Affordances
             * @default []
             */
            affordances: components["schemas"]["Affordance"][];
            /**
             * Aliases
             * @default []
             */
            aliases: string[];
            /**
             * Alive
             * @default null
             */
            alive: boolean | null;
            /**
             * Container
             * @default false
             */
            container: boolean;
            /**
             * Description
             * @default
             */
            description: string;
            /**
             * Edible
             * @default null
             */
            edible: boolean | ("food" | "drink") | null;
            /**
             * Fixed
             * @default false
             */
            fixed: boolean;
            /**
             * Hangs
             * @default null
             */
            hangs: boolean | null;
            /**
             * Inside
             * @default null
             */
            inside: string | null;
            /**
             * On
             * @default null
             */
            on: string | null;
            /**
             * Owner
             * @default null
             */
            owner: string | null;
            /**
             * Parts
             * @default []
             */
            parts: string[];
            /**
             * Picture
             * @default null
             */
            picture: string | null;
            /**
             * State
             * @default []
             */
            state: string[];
            /**
             * Surface
             * @default null
             */
            surface: boolean | null;
            /**
             * Wearable
             * @default null
             */
            wearable: boolean | null;
        };
        /**
         * Usage
         * @description What a call cost, as the server counts it; None where it does not say.
         */
        Usage: {
            /** Cached */
            cached?: number | null;
            /** Completion */
            completion?: number | null;
            /** Finish */
            finish?: string | null;
            /** Prompt */
            prompt?: number | null;
            /**
             * Tries
             * @default 1
             */
            tries: number;
        };
        /**
         * Vad
         * @description Valence, arousal, dominance, each −1 to +1.
         */
        Vad: {
            /**
             * A
             * @default 0
             */
            a: number;
            /**
             * D
             * @default 0
             */
            d: number;
            /**
             * V
             * @default 0
             */
            v: number;
        };
        /**
         * WholeAnswer
         * @description An exchange in one piece.
         */
        WholeAnswer: {
            recall?: components["schemas"]["RecallSummary"] | null;
            /** Seq */
            seq: number;
            /** Text */
            text: string;
            /** Turn */
            turn: number;
        };
        /**
         * WorldState
         * @description The world. Versions 0.1 (another engine's, taken as it is) and 0.2.
         */
        WorldState: {
            /** Characters */
            characters: {
                [key: string]: components["schemas"]["Figure"];
            };
            /**
             * Events
             * @default []
             */
            events: string[];
            location: components["schemas"]["Camera"];
            /**
             * Locations
             * @default {}
             */
            locations: {
                [key: string]: components["schemas"]["Location"];
            };
            /**
             * @default {
             *       "weather": "",
             *       "tension": "Low"
             *     }
             */
            meta: components["schemas"]["Meta"];
            /**
             * Props
             * @default {}
             */
            props: {
                [key: string]: components["schemas"]["Prop"];
            };
            /**
             * Rules
             * @default []
             */
            rules: string[];
            /**
             * @default {
             *       "label": "朝",
             *       "turn": 0,
             *       "clock": null
             *     }
             */
            time: components["schemas"]["Time"];
            /**
             * Version
             * @default 0.2
             * @enum {string}
             */
            version: "0.1" | "0.2";
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ready"];
                };
            };
        };
    };
    list_sheets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SheetSummary"][];
                };
            };
        };
    };
    import_card: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CardFile"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedCard"];
                };
            };
        };
    };
    read_sheet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SheetView"];
                };
            };
        };
    };
    export_card: {
        parameters: {
            query?: {
                format?: "png" | "json";
                spec?: ("v1" | "v2" | "v3") | null;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The card */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                    "image/png": string;
                };
            };
        };
    };
    export_lore: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lorebook */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    read_portrait: {
        parameters: {
            query?: {
                expression?: "neutral" | "content" | "joy" | "sadness" | "anger" | "fear" | "surprise";
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/jpeg": string;
                    "image/png": string;
                    "image/webp": string;
                };
            };
        };
    };
    complete_chat: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompletionRequest"];
            };
        };
        responses: {
            /** @description The answer in one piece, or as it comes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Completion"];
                    "text/event-stream": string;
                };
            };
        };
    };
    list_chats: {
        parameters: {
            query?: {
                archived?: boolean;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatSummary"][];
                };
            };
        };
    };
    new_chat: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewChat"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatSummary"];
                };
            };
        };
    };
    read_chat: {
        parameters: {
            query?: {
                before?: number | null;
                /** @description The line of play */
                branch?: string;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatView"];
                };
            };
        };
    };
    follow_answer: {
        parameters: {
            query?: {
                /** @description The line of play */
                branch?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer as it comes, or in one piece */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        data: string;
                        /** @constant */
                        event: "recall";
                    } | {
                        data: string;
                        /** @constant */
                        event: "piece";
                    } | {
                        data: string;
                        /** @constant */
                        event: "done";
                    } | {
                        data: string;
                        /** @constant */
                        event: "fault";
                    };
                };
            };
            /** @description No answer is under way */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    read_autonomy: {
        parameters: {
            query?: {
                /** @description The line of play */
                branch?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutonomyView"];
                };
            };
        };
    };
    read_clock: {
        parameters: {
            query?: {
                /** @description The line of play */
                branch?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClockTime"];
                };
            };
        };
    };
    move_clock: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClockRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClockTime"];
                };
            };
        };
    };
    digest_autonomy: {
        parameters: {
            query?: {
                /** @description The line of play */
                branch?: string;
                since?: string | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Digest"];
                };
            };
        };
    };
    pause_autonomy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PauseRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutonomyView"];
                };
            };
        };
    };
    resume_autonomy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BranchRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutonomyView"];
                };
            };
        };
    };
    start_autonomy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BranchRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutonomyView"];
                };
            };
        };
    };
    stop_autonomy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BranchRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutonomyView"];
                };
            };
        };
    };
    trigger_autonomy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TriggerRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutonomyView"];
                };
            };
        };
    };
    explain_autonomy: {
        parameters: {
            query?: {
                /** @description The line of play */
                branch?: string;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliberationRecord"][];
                };
            };
        };
    };
    fork_chat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewBranch"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Branch"];
                };
            };
        };
    };
    choose_answer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TakeChoice"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BranchPosition"];
                };
            };
        };
    };
    continue_answer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetakeRequest"];
            };
        };
        responses: {
            /** @description The answer as it comes, or in one piece */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WholeAnswer"];
                    "text/event-stream": {
                        data: string;
                        /** @constant */
                        event: "recall";
                    } | {
                        data: string;
                        /** @constant */
                        event: "piece";
                    } | {
                        data: string;
                        /** @constant */
                        event: "done";
                    } | {
                        data: string;
                        /** @constant */
                        event: "fault";
                    };
                };
            };
        };
    };
    delete_exchange: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExchangeDeletion"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BranchPosition"];
                };
            };
        };
    };
    edit_exchange: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExchangeEdit"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BranchPosition"];
                };
            };
        };
    };
    watch_chat: {
        parameters: {
            query?: {
                after?: number | null;
                /** @description The line of play */
                branch?: string;
            };
            header?: {
                "last-event-id"?: string | null;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What happens, as it happens */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        data: string;
                        /** @constant */
                        event: "hello";
                        id: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "reset";
                        id: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "undo";
                        id: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "exchange";
                        id: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "autonomy.activity";
                        id: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "autonomy.message";
                        id: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "autonomy.control";
                        id: string;
                    };
                };
            };
        };
    };
    export_chat: {
        parameters: {
            query?: {
                /** @description The line of play */
                branch?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The chat */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/jsonl": unknown;
                };
            };
        };
    };
    say: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageRequest"];
            };
        };
        responses: {
            /** @description The answer as it comes, or in one piece */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WholeAnswer"];
                    "text/event-stream": {
                        data: string;
                        /** @constant */
                        event: "recall";
                    } | {
                        data: string;
                        /** @constant */
                        event: "piece";
                    } | {
                        data: string;
                        /** @constant */
                        event: "done";
                    } | {
                        data: string;
                        /** @constant */
                        event: "fault";
                    };
                };
            };
        };
    };
    remember_chat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BranchRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryProgress"];
                };
            };
        };
    };
    retake_answer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetakeRequest"];
            };
        };
        responses: {
            /** @description The answer as it comes, or in one piece */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WholeAnswer"];
                    "text/event-stream": {
                        data: string;
                        /** @constant */
                        event: "recall";
                    } | {
                        data: string;
                        /** @constant */
                        event: "piece";
                    } | {
                        data: string;
                        /** @constant */
                        event: "done";
                    } | {
                        data: string;
                        /** @constant */
                        event: "fault";
                    };
                };
            };
        };
    };
    stop_answer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BranchRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BranchPosition"];
                };
            };
        };
    };
    list_takes: {
        parameters: {
            query?: {
                /** @description The line of play */
                branch?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExchangeTake"][];
                };
            };
        };
    };
    undo_exchange: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BranchRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BranchPosition"];
                };
            };
        };
    };
    read_connection: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionView"];
                };
            };
        };
    };
    connect_model: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Connection"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionView"];
                };
            };
        };
    };
    read_face: {
        parameters: {
            query?: {
                expression?: "neutral" | "content" | "joy" | "sadness" | "anger" | "fear" | "surprise";
                pose?: "face" | "standing" | "sitting" | "lying";
                speaking?: boolean;
            };
            header?: never;
            path: {
                look: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
        };
    };
    list_gardens: {
        parameters: {
            query?: {
                archived?: boolean;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GardenListItem"][];
                };
            };
        };
    };
    new_garden: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewGarden"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GardenListItem"];
                };
            };
        };
    };
    read_garden: {
        parameters: {
            query?: {
                /** @description The line of play */
                branch?: string;
                turn?: number | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GardenView"];
                };
            };
        };
    };
    act_in_garden: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ActRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActResult"];
                };
            };
        };
    };
    list_acts: {
        parameters: {
            query: {
                /** @description The line of play */
                branch?: string;
                limit?: number;
                q?: string;
                who: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PossibleActs"];
                };
            };
        };
    };
    list_branches: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BranchView"][];
                };
            };
        };
    };
    choose_take: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChooseRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeResult"];
                };
            };
        };
    };
    compare_branches: {
        parameters: {
            query: {
                one: string;
                other: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BranchComparison"];
                };
            };
        };
    };
    continue_turn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BranchRequest"];
            };
        };
        responses: {
            /** @description The turn as it comes, or in one piece */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlayedTurn"];
                    "text/event-stream": {
                        data: string;
                        /** @constant */
                        event: "row";
                        id: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "speaking";
                    } | {
                        data: string;
                        /** @constant */
                        event: "piece";
                    } | {
                        data: string;
                        /** @constant */
                        event: "done";
                    } | {
                        data: string;
                        /** @constant */
                        event: "fault";
                    };
                };
            };
        };
    };
    cue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CueRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeResult"];
                };
            };
        };
    };
    edit_turn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeResult"];
                };
            };
        };
    };
    watch_garden: {
        parameters: {
            query?: {
                after?: number | null;
                /** @description The line of play */
                branch?: string;
            };
            header?: {
                "last-event-id"?: string | null;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What happens, as it happens */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        data: string;
                        /** @constant */
                        event: "hello";
                        id: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "reset";
                        id: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "row";
                        id: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "speaking";
                    } | {
                        data: string;
                        /** @constant */
                        event: "piece";
                    } | {
                        data: string;
                        /** @constant */
                        event: "pace";
                    } | {
                        data: string;
                        /** @constant */
                        event: "fault";
                    };
                };
            };
        };
    };
    export_garden: {
        parameters: {
            query?: {
                /** @description The line of play */
                branch?: string;
                format?: "md" | "html" | "jsonl" | "hakoniwa";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A file to keep */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/jsonl": string;
                    "application/octet-stream": string;
                    "text/html": string;
                    "text/markdown": string;
                };
            };
        };
    };
    fork_garden: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForkRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Branch"];
                };
            };
        };
    };
    read_highlights: {
        parameters: {
            query?: {
                /** @description The line of play */
                branch?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Highlight"][];
                };
            };
        };
    };
    ring_incident: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RingRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeResult"];
                };
            };
        };
    };
    read_mind: {
        parameters: {
            query?: {
                /** @description The line of play */
                branch?: string;
                turn?: number | null;
            };
            header?: never;
            path: {
                id: string;
                who: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MindView"];
                };
            };
        };
    };
    pause_garden: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BranchRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pace"];
                };
            };
        };
    };
    drop_prop: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DropRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeResult"];
                };
            };
        };
    };
    regenerate_turn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BranchRequest"];
            };
        };
        responses: {
            /** @description The turn as it comes, or in one piece */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlayedTurn"];
                    "text/event-stream": {
                        data: string;
                        /** @constant */
                        event: "row";
                        id: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "speaking";
                    } | {
                        data: string;
                        /** @constant */
                        event: "piece";
                    } | {
                        data: string;
                        /** @constant */
                        event: "done";
                    } | {
                        data: string;
                        /** @constant */
                        event: "fault";
                    };
                };
            };
        };
    };
    read_relations: {
        parameters: {
            query?: {
                /** @description The line of play */
                branch?: string;
                turn?: number | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RelationView"][];
                };
            };
        };
    };
    run_garden: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pace"];
                };
            };
        };
    };
    say_in_garden: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SpeakRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeResult"];
                };
            };
        };
    };
    read_script: {
        parameters: {
            query?: {
                after?: number | null;
                before?: number | null;
                /** @description The line of play */
                branch?: string;
                limit?: number;
                turn?: number | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScriptPage"];
                };
            };
        };
    };
    list_shared: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileContents"];
                };
            };
        };
    };
    stop_garden: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BranchRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pace"];
                };
            };
        };
    };
    play_turn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BranchRequest"];
            };
        };
        responses: {
            /** @description The turn as it comes, or in one piece */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlayedTurn"];
                    "text/event-stream": {
                        data: string;
                        /** @constant */
                        event: "row";
                        id: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "speaking";
                    } | {
                        data: string;
                        /** @constant */
                        event: "piece";
                    } | {
                        data: string;
                        /** @constant */
                        event: "done";
                    } | {
                        data: string;
                        /** @constant */
                        event: "fault";
                    };
                };
            };
        };
    };
    undo_turns: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UndoRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeResult"];
                };
            };
        };
    };
    explain_turn: {
        parameters: {
            query?: {
                /** @description The line of play */
                branch?: string;
            };
            header?: never;
            path: {
                id: string;
                turn: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GardenWhy"];
                };
            };
        };
    };
    gm_leaks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LeakRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeakReport"];
                };
            };
        };
    };
    gm_step: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GMStepRequest"];
            };
        };
        responses: {
            /** @description The ruling */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ruling"];
                };
            };
        };
    };
    import_file: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForeignFile"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedFile"];
                };
            };
        };
    };
    list_experiments: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExperimentSummary"][];
                };
            };
        };
    };
    begin_experiment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewExperiment"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExperimentSummary"];
                };
            };
        };
    };
    read_experiment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExperimentView"];
                };
            };
        };
    };
    keep_experiment: {
        parameters: {
            query?: {
                which?: "results" | "turns" | "markdown";
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A file to keep */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                    "text/csv": string;
                    "text/markdown": string;
                };
            };
        };
    };
    open_report: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    resume_experiment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExperimentSummary"];
                };
            };
        };
    };
    stop_experiment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExperimentSummary"];
                };
            };
        };
    };
    compare_personas: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                garden: string;
                who: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompareRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MindComparison"];
                };
            };
        };
    };
    read_event: {
        parameters: {
            query?: {
                /** @description The line of play */
                branch?: string;
            };
            header?: never;
            path: {
                garden: string;
                seq: number;
                who: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventTrace"];
                };
            };
        };
    };
    forget: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                garden: string;
                who: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForgetRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForgetResult"];
                };
            };
        };
    };
    read_inner_life: {
        parameters: {
            query?: {
                /** @description The line of play */
                branch?: string;
            };
            header?: never;
            path: {
                garden: string;
                who: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InnerLife"];
                };
            };
        };
    };
    read_runs: {
        parameters: {
            query?: {
                /** @description The line of play */
                branch?: string;
                limit?: number;
            };
            header?: never;
            path: {
                garden: string;
                who: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetrievalRun"][];
                };
            };
        };
    };
    search_memory: {
        parameters: {
            query: {
                /** @description The line of play */
                branch?: string;
                limit?: number;
                q: string;
            };
            header?: never;
            path: {
                garden: string;
                who: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Candidate"][];
                };
            };
        };
    };
    count_memory: {
        parameters: {
            query?: {
                /** @description The line of play */
                branch?: string;
            };
            header?: never;
            path: {
                garden: string;
                who: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryStats"];
                };
            };
        };
    };
    list_models: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelList"];
                };
            };
        };
    };
    read_model: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                model: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedModel"];
                };
            };
        };
    };
    list_personas: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeptPersona"][];
                };
            };
        };
    };
    save_persona: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PersonaDraft"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeptPersona"];
                };
            };
        };
    };
    delete_persona: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeptPersona"][];
                };
            };
        };
    };
    read_persona_portrait: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/jpeg": string;
                    "image/png": string;
                    "image/webp": string;
                };
            };
        };
    };
    export_personas: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The personas */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    read_picture: {
        parameters: {
            query?: {
                state?: ("open" | "on") | null;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
        };
    };
    search_records: {
        parameters: {
            query: {
                limit?: number;
                q: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundLine"][];
                };
            };
        };
    };
    read_record: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordContents"];
                };
            };
        };
    };
    delete_record: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeletionRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordContents"];
                };
            };
        };
    };
    label_record: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecordLabel"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordLabel"];
                };
            };
        };
    };
    list_scenarios: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScenarioSummary"][];
                };
            };
        };
    };
    save_scenario: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScenarioDraft"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScenarioCheck"];
                };
            };
        };
    };
    read_scenario: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScenarioText"];
                };
            };
        };
    };
    lint_scenario: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScenarioDraft"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScenarioCheck"];
                };
            };
        };
    };
    list_servers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServersView"];
                };
            };
        };
    };
    examine_model: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmptyRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServersView"];
                };
            };
        };
    };
    visit_server: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServerVisit"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerView"];
                };
            };
        };
    };
    read_settings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingView"][];
                };
            };
        };
    };
}
