import { initSync } from "./app.js";

let sharedImports = undefined;
function getSharedImports() {
    if (sharedImports === undefined) {
        sharedImports = { __wasm_split: {  } };
        const { __indirect_function_table, __wasm_split_shared0, memory,  } = initSync(undefined, undefined);
        Object.assign(sharedImports.__wasm_split, { __indirect_function_table, __wasm_split_shared0, memory,  });
    }
    return sharedImports;
}
function wrapAsyncCb(callee) {
    return async (callbackIndex, callbackData) => {
        let success;
        try {
            await callee();
            success = true;
        } catch (e) {
            console.error(e);
            success = false;
        } finally {
            const sharedImports = getSharedImports();
            sharedImports.__wasm_split.__indirect_function_table.get(callbackIndex)(callbackData, success);
        }
    }
}
function makeLoad(fetcher, deps) {
    const loader = async () => {
        const parallelStuff = deps.map(d => d());
        const instantiate = fetcher();
        await Promise.all(parallelStuff);
        const imports = getSharedImports();
        return instantiate(imports);
    };
    let loadingModule = undefined;
    return () => {
        if (loadingModule === undefined) {
            const thisLoad = loader();
            // Memoize successes only: a rejected load must not be cached for
            // the lifetime of the session, or one transient network failure
            // permanently breaks the module. Clearing on rejection lets the
            // next call (e.g. the Rust side re-invoking load after a failed
            // callback) start a fresh attempt.
            thisLoad.catch(() => {
                if (loadingModule === thisLoad) loadingModule = undefined;
            });
            loadingModule = thisLoad;
        }
        return loadingModule;
    }
}
/* files, imports */
const __chunk_8 = makeLoad(() => {
    const src = fetch(new URL("./chunk_8.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, imports, places, rack, results, studies */
const __chunk_9 = makeLoad(() => {
    const src = fetch(new URL("./chunk_9.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, imports, places, rack, results, studies, views */
const __chunk_10 = makeLoad(() => {
    const src = fetch(new URL("./chunk_10.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, imports, places, results */
const __chunk_11 = makeLoad(() => {
    const src = fetch(new URL("./chunk_11.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, imports, places, results, studies */
const __chunk_12 = makeLoad(() => {
    const src = fetch(new URL("./chunk_12.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, imports, places, results, studies, views */
const __chunk_13 = makeLoad(() => {
    const src = fetch(new URL("./chunk_13.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, imports, places, views */
const __chunk_14 = makeLoad(() => {
    const src = fetch(new URL("./chunk_14.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, imports, rack, results */
const __chunk_15 = makeLoad(() => {
    const src = fetch(new URL("./chunk_15.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, imports, rack, results, views */
const __chunk_16 = makeLoad(() => {
    const src = fetch(new URL("./chunk_16.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, imports, rack, views */
const __chunk_17 = makeLoad(() => {
    const src = fetch(new URL("./chunk_17.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, imports, results */
const __chunk_18 = makeLoad(() => {
    const src = fetch(new URL("./chunk_18.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, imports, results, studies */
const __chunk_19 = makeLoad(() => {
    const src = fetch(new URL("./chunk_19.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, imports, results, studies, views */
const __chunk_20 = makeLoad(() => {
    const src = fetch(new URL("./chunk_20.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, imports, studies */
const __chunk_21 = makeLoad(() => {
    const src = fetch(new URL("./chunk_21.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, imports, views */
const __chunk_22 = makeLoad(() => {
    const src = fetch(new URL("./chunk_22.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, places */
const __chunk_23 = makeLoad(() => {
    const src = fetch(new URL("./chunk_23.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, places, rack */
const __chunk_24 = makeLoad(() => {
    const src = fetch(new URL("./chunk_24.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, places, rack, results */
const __chunk_25 = makeLoad(() => {
    const src = fetch(new URL("./chunk_25.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, places, rack, results, studies */
const __chunk_26 = makeLoad(() => {
    const src = fetch(new URL("./chunk_26.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, places, rack, results, studies, views */
const __chunk_27 = makeLoad(() => {
    const src = fetch(new URL("./chunk_27.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, places, rack, results, views */
const __chunk_28 = makeLoad(() => {
    const src = fetch(new URL("./chunk_28.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, places, rack, studies, views */
const __chunk_29 = makeLoad(() => {
    const src = fetch(new URL("./chunk_29.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, places, results */
const __chunk_30 = makeLoad(() => {
    const src = fetch(new URL("./chunk_30.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, places, results, studies */
const __chunk_31 = makeLoad(() => {
    const src = fetch(new URL("./chunk_31.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, places, results, studies, views */
const __chunk_32 = makeLoad(() => {
    const src = fetch(new URL("./chunk_32.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, places, results, views */
const __chunk_33 = makeLoad(() => {
    const src = fetch(new URL("./chunk_33.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, places, studies */
const __chunk_34 = makeLoad(() => {
    const src = fetch(new URL("./chunk_34.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, places, studies, views */
const __chunk_35 = makeLoad(() => {
    const src = fetch(new URL("./chunk_35.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, places, views */
const __chunk_36 = makeLoad(() => {
    const src = fetch(new URL("./chunk_36.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, rack */
const __chunk_37 = makeLoad(() => {
    const src = fetch(new URL("./chunk_37.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, rack, results */
const __chunk_38 = makeLoad(() => {
    const src = fetch(new URL("./chunk_38.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, rack, results, studies */
const __chunk_39 = makeLoad(() => {
    const src = fetch(new URL("./chunk_39.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, rack, results, views */
const __chunk_40 = makeLoad(() => {
    const src = fetch(new URL("./chunk_40.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, rack, studies */
const __chunk_41 = makeLoad(() => {
    const src = fetch(new URL("./chunk_41.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, rack, studies, views */
const __chunk_42 = makeLoad(() => {
    const src = fetch(new URL("./chunk_42.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, rack, views */
const __chunk_43 = makeLoad(() => {
    const src = fetch(new URL("./chunk_43.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, results */
const __chunk_44 = makeLoad(() => {
    const src = fetch(new URL("./chunk_44.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, results, studies */
const __chunk_45 = makeLoad(() => {
    const src = fetch(new URL("./chunk_45.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, results, studies, views */
const __chunk_46 = makeLoad(() => {
    const src = fetch(new URL("./chunk_46.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, results, views */
const __chunk_47 = makeLoad(() => {
    const src = fetch(new URL("./chunk_47.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, studies */
const __chunk_48 = makeLoad(() => {
    const src = fetch(new URL("./chunk_48.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, studies, views */
const __chunk_49 = makeLoad(() => {
    const src = fetch(new URL("./chunk_49.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* files, views */
const __chunk_50 = makeLoad(() => {
    const src = fetch(new URL("./chunk_50.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* imports, places */
const __chunk_51 = makeLoad(() => {
    const src = fetch(new URL("./chunk_51.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* imports, places, rack, results */
const __chunk_52 = makeLoad(() => {
    const src = fetch(new URL("./chunk_52.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* imports, places, rack, results, studies, views */
const __chunk_53 = makeLoad(() => {
    const src = fetch(new URL("./chunk_53.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* imports, places, results */
const __chunk_54 = makeLoad(() => {
    const src = fetch(new URL("./chunk_54.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* imports, places, results, studies */
const __chunk_55 = makeLoad(() => {
    const src = fetch(new URL("./chunk_55.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* imports, places, results, studies, views */
const __chunk_56 = makeLoad(() => {
    const src = fetch(new URL("./chunk_56.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* imports, places, studies */
const __chunk_57 = makeLoad(() => {
    const src = fetch(new URL("./chunk_57.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* imports, rack */
const __chunk_58 = makeLoad(() => {
    const src = fetch(new URL("./chunk_58.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* imports, rack, results */
const __chunk_59 = makeLoad(() => {
    const src = fetch(new URL("./chunk_59.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* imports, rack, results, views */
const __chunk_60 = makeLoad(() => {
    const src = fetch(new URL("./chunk_60.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* imports, rack, views */
const __chunk_61 = makeLoad(() => {
    const src = fetch(new URL("./chunk_61.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* imports, results */
const __chunk_62 = makeLoad(() => {
    const src = fetch(new URL("./chunk_62.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* imports, studies */
const __chunk_63 = makeLoad(() => {
    const src = fetch(new URL("./chunk_63.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* imports, studies, views */
const __chunk_64 = makeLoad(() => {
    const src = fetch(new URL("./chunk_64.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* imports, views */
const __chunk_65 = makeLoad(() => {
    const src = fetch(new URL("./chunk_65.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* places, rack */
const __chunk_66 = makeLoad(() => {
    const src = fetch(new URL("./chunk_66.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* places, rack, results */
const __chunk_67 = makeLoad(() => {
    const src = fetch(new URL("./chunk_67.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* places, rack, results, studies */
const __chunk_68 = makeLoad(() => {
    const src = fetch(new URL("./chunk_68.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* places, rack, results, studies, views */
const __chunk_69 = makeLoad(() => {
    const src = fetch(new URL("./chunk_69.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* places, rack, results, views */
const __chunk_70 = makeLoad(() => {
    const src = fetch(new URL("./chunk_70.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* places, rack, studies */
const __chunk_71 = makeLoad(() => {
    const src = fetch(new URL("./chunk_71.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* places, rack, studies, views */
const __chunk_72 = makeLoad(() => {
    const src = fetch(new URL("./chunk_72.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* places, rack, views */
const __chunk_73 = makeLoad(() => {
    const src = fetch(new URL("./chunk_73.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* places, results */
const __chunk_74 = makeLoad(() => {
    const src = fetch(new URL("./chunk_74.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* places, results, studies */
const __chunk_75 = makeLoad(() => {
    const src = fetch(new URL("./chunk_75.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* places, results, studies, views */
const __chunk_76 = makeLoad(() => {
    const src = fetch(new URL("./chunk_76.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* places, results, views */
const __chunk_77 = makeLoad(() => {
    const src = fetch(new URL("./chunk_77.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* places, studies */
const __chunk_78 = makeLoad(() => {
    const src = fetch(new URL("./chunk_78.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* places, studies, views */
const __chunk_79 = makeLoad(() => {
    const src = fetch(new URL("./chunk_79.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* places, views */
const __chunk_80 = makeLoad(() => {
    const src = fetch(new URL("./chunk_80.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* rack, results */
const __chunk_81 = makeLoad(() => {
    const src = fetch(new URL("./chunk_81.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* rack, results, views */
const __chunk_82 = makeLoad(() => {
    const src = fetch(new URL("./chunk_82.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* rack, studies */
const __chunk_83 = makeLoad(() => {
    const src = fetch(new URL("./chunk_83.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* rack, studies, views */
const __chunk_84 = makeLoad(() => {
    const src = fetch(new URL("./chunk_84.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* rack, views */
const __chunk_85 = makeLoad(() => {
    const src = fetch(new URL("./chunk_85.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* results, studies */
const __chunk_86 = makeLoad(() => {
    const src = fetch(new URL("./chunk_86.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* results, studies, views */
const __chunk_87 = makeLoad(() => {
    const src = fetch(new URL("./chunk_87.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* results, views */
const __chunk_88 = makeLoad(() => {
    const src = fetch(new URL("./chunk_88.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
/* studies, views */
const __chunk_89 = makeLoad(() => {
    const src = fetch(new URL("./chunk_89.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, []);
export const __wasm_split_load_views = wrapAsyncCb(makeLoad(() => {
    const src = fetch(new URL("./split_views.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, [__chunk_10, __chunk_13, __chunk_14, __chunk_16, __chunk_17, __chunk_20, __chunk_22, __chunk_27, __chunk_28, __chunk_29, __chunk_32, __chunk_33, __chunk_35, __chunk_36, __chunk_40, __chunk_42, __chunk_43, __chunk_46, __chunk_47, __chunk_49, __chunk_50, __chunk_53, __chunk_56, __chunk_60, __chunk_61, __chunk_64, __chunk_65, __chunk_69, __chunk_70, __chunk_72, __chunk_73, __chunk_76, __chunk_77, __chunk_79, __chunk_80, __chunk_82, __chunk_84, __chunk_85, __chunk_87, __chunk_88, __chunk_89]));
export const __wasm_split_load_studies = wrapAsyncCb(makeLoad(() => {
    const src = fetch(new URL("./split_studies.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, [__chunk_9, __chunk_10, __chunk_12, __chunk_13, __chunk_19, __chunk_20, __chunk_21, __chunk_26, __chunk_27, __chunk_29, __chunk_31, __chunk_32, __chunk_34, __chunk_35, __chunk_39, __chunk_41, __chunk_42, __chunk_45, __chunk_46, __chunk_48, __chunk_49, __chunk_53, __chunk_55, __chunk_56, __chunk_57, __chunk_63, __chunk_64, __chunk_68, __chunk_69, __chunk_71, __chunk_72, __chunk_75, __chunk_76, __chunk_78, __chunk_79, __chunk_83, __chunk_84, __chunk_86, __chunk_87, __chunk_89]));
export const __wasm_split_load_results = wrapAsyncCb(makeLoad(() => {
    const src = fetch(new URL("./split_results.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, [__chunk_9, __chunk_10, __chunk_11, __chunk_12, __chunk_13, __chunk_15, __chunk_16, __chunk_18, __chunk_19, __chunk_20, __chunk_25, __chunk_26, __chunk_27, __chunk_28, __chunk_30, __chunk_31, __chunk_32, __chunk_33, __chunk_38, __chunk_39, __chunk_40, __chunk_44, __chunk_45, __chunk_46, __chunk_47, __chunk_52, __chunk_53, __chunk_54, __chunk_55, __chunk_56, __chunk_59, __chunk_60, __chunk_62, __chunk_67, __chunk_68, __chunk_69, __chunk_70, __chunk_74, __chunk_75, __chunk_76, __chunk_77, __chunk_81, __chunk_82, __chunk_86, __chunk_87, __chunk_88]));
export const __wasm_split_load_rack = wrapAsyncCb(makeLoad(() => {
    const src = fetch(new URL("./split_rack.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, [__chunk_9, __chunk_10, __chunk_15, __chunk_16, __chunk_17, __chunk_24, __chunk_25, __chunk_26, __chunk_27, __chunk_28, __chunk_29, __chunk_37, __chunk_38, __chunk_39, __chunk_40, __chunk_41, __chunk_42, __chunk_43, __chunk_52, __chunk_53, __chunk_58, __chunk_59, __chunk_60, __chunk_61, __chunk_66, __chunk_67, __chunk_68, __chunk_69, __chunk_70, __chunk_71, __chunk_72, __chunk_73, __chunk_81, __chunk_82, __chunk_83, __chunk_84, __chunk_85]));
export const __wasm_split_load_places = wrapAsyncCb(makeLoad(() => {
    const src = fetch(new URL("./split_places.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, [__chunk_9, __chunk_10, __chunk_11, __chunk_12, __chunk_13, __chunk_14, __chunk_23, __chunk_24, __chunk_25, __chunk_26, __chunk_27, __chunk_28, __chunk_29, __chunk_30, __chunk_31, __chunk_32, __chunk_33, __chunk_34, __chunk_35, __chunk_36, __chunk_51, __chunk_52, __chunk_53, __chunk_54, __chunk_55, __chunk_56, __chunk_57, __chunk_66, __chunk_67, __chunk_68, __chunk_69, __chunk_70, __chunk_71, __chunk_72, __chunk_73, __chunk_74, __chunk_75, __chunk_76, __chunk_77, __chunk_78, __chunk_79, __chunk_80]));
export const __wasm_split_load_imports = wrapAsyncCb(makeLoad(() => {
    const src = fetch(new URL("./split_imports.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, [__chunk_8, __chunk_9, __chunk_10, __chunk_11, __chunk_12, __chunk_13, __chunk_14, __chunk_15, __chunk_16, __chunk_17, __chunk_18, __chunk_19, __chunk_20, __chunk_21, __chunk_22, __chunk_51, __chunk_52, __chunk_53, __chunk_54, __chunk_55, __chunk_56, __chunk_57, __chunk_58, __chunk_59, __chunk_60, __chunk_61, __chunk_62, __chunk_63, __chunk_64, __chunk_65]));
export const __wasm_split_load_files = wrapAsyncCb(makeLoad(() => {
    const src = fetch(new URL("./split_files.wasm", import.meta.url));
    src.catch(() => {});
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
}
, [__chunk_8, __chunk_9, __chunk_10, __chunk_11, __chunk_12, __chunk_13, __chunk_14, __chunk_15, __chunk_16, __chunk_17, __chunk_18, __chunk_19, __chunk_20, __chunk_21, __chunk_22, __chunk_23, __chunk_24, __chunk_25, __chunk_26, __chunk_27, __chunk_28, __chunk_29, __chunk_30, __chunk_31, __chunk_32, __chunk_33, __chunk_34, __chunk_35, __chunk_36, __chunk_37, __chunk_38, __chunk_39, __chunk_40, __chunk_41, __chunk_42, __chunk_43, __chunk_44, __chunk_45, __chunk_46, __chunk_47, __chunk_48, __chunk_49, __chunk_50]));
